//! The volatile write cache of a drive: read from the drive itself, not from what the kernel
//! thinks of it.

use super::identity::WriteCache;
use super::nvme::Nvme;

/// The state of an NVMe drive's volatile write cache.
pub(super) fn of_nvme(nvme: Nvme<'_>) -> WriteCache {
    let unknown = |error: super::nvme::AdminError| WriteCache::Unknown {
        cause: format!("the drive could not be asked: {error}"),
    };
    match nvme.controller() {
        Err(error) => unknown(error),
        Ok(controller) if !controller.has_cache => WriteCache::Absent,
        Ok(_) => match nvme.cache() {
            Err(error) => unknown(error),
            Ok(true) => WriteCache::On,
            Ok(false) => WriteCache::Off,
        },
    }
}
