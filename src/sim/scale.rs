//! Who a simulated drive says it is, and what its scale keeps true and distorts.

use super::SimError;
use super::profile::Profile;
use super::settings::Settings;
use crate::drive::identity::{DriveKind, WriteCache};
use crate::drive::{Host, Identity};
use crate::units::Bytes;

/// The drive's identity.
pub(super) fn identity(settings: &Settings, profile: &Profile) -> Result<Identity, SimError> {
    let text = |key| settings.text(key).map(Some);
    let serial = format!("SIM-{}-{}", profile.name.to_uppercase(), settings.seed);
    Ok(Identity {
        address: settings.address.clone(),
        kind: DriveKind::Simulated,
        manufacturer: text("identity.manufacturer")?,
        model: settings.text("identity.model")?,
        serial: Some(serial.clone()),
        firmware: text("identity.firmware")?,
        interface: text("identity.interface")?,
        nand: text("identity.nand")?,
        pcie: text("identity.pcie")?,
        capacity: Bytes(profile.build.capacity),
        logical_block: Bytes(profile.host.logical_block),
        physical_block: Some(Bytes(super::flash::layout::PAGE)),
        // The buffer is backed by capacitors: nothing acknowledged is lost.
        write_cache: WriteCache::Absent,
        confirm_name: serial,
        anchor: settings.address.clone(),
        scale: Some(sentence(profile)),
        engine: Some("simulated drive, virtual clock".to_owned()),
        limits: None,
    })
}

/// The simulated host.
pub(super) fn host(settings: &Settings) -> Result<Host, SimError> {
    let text = |key| settings.text(key).map(Some);
    Ok(Host {
        motherboard: text("host.motherboard")?,
        cpu: text("host.cpu")?,
        memory: text("host.memory")?,
        operating_system: text("host.operating_system")?,
        hba: text("host.hba")?,
    })
}

/// What the scale keeps true and what it distorts.
fn sentence(profile: &Profile) -> String {
    let (k, s) = (profile.one_die_in, profile.slow);
    let whole = Bytes(profile.whole_capacity).as_capacity();
    let own = Bytes(profile.build.capacity).as_capacity();
    let dies = profile.build.shape.dies;
    let mut parts = vec![format!(
        "{own} simulated as a model of a {whole} drive with {} dies",
        profile.whole_dies
    )];
    if k > 1 {
        parts.push(format!(
            "slice of 1 in {k} ({dies} dies): IOPS and MB/s are those of the slice (x {k} for the \
             whole drive); QD1 reads, ratios between cells and write amplification are true; at \
             the same outstanding I/O, saturated response times are {k} times longer and \
             saturation comes {k} times sooner"
        ));
    }
    let tenths = u128::from(profile.whole_capacity) * 10
        / (u128::from(k) * u128::from(profile.build.capacity));
    if tenths > 10 {
        parts.push(format!(
            "dies shortened {}.{} times: rates, response times and write amplification are true; \
             fills, the write cliff and convergence come that much sooner",
            tenths / 10,
            tenths % 10
        ));
    }
    if s > 1 {
        parts.push(format!(
            "slow motion 1:{s}: the shape of every curve is true; every time is {s} times longer \
             and every rate {s} times lower"
        ));
    } else {
        parts.push("no slow motion".to_owned());
    }
    parts.join("; ")
}
