//! What a target is asked beside I/O: its write cache and its health.

use super::super::cache::{self, NoSwitch, ScsiSwitch};
use super::super::nvme::{Kernel, Nvme};
use super::super::{CacheDemand, Event, Health, health};
use super::{Server, send};

impl Server {
    pub(super) fn cache(&self, demand: CacheDemand) {
        let kernel = self.kernel();
        let switch = self.beside.disk.as_ref().and_then(ScsiSwitch::of);
        let look = match (&kernel, &switch) {
            (Some(kernel), _) => cache::answer(&Nvme::new(kernel, kernel.nsid()), demand),
            (None, Some(switch)) => cache::answer(switch, demand),
            (None, None) => cache::answer(&NoSwitch(&self.write_cache), demand),
        };
        send(&self.end.events, Event::Cache(look));
    }

    pub(super) fn health(&self) {
        let kernel = self.kernel();
        let nvme = kernel
            .as_ref()
            .map(|kernel| Nvme::new(kernel, kernel.nsid()));
        let health = match &self.beside.disk {
            Some(disk) => health::of(disk, nvme),
            None => Health::missing("no source", "the target is no disk".to_owned()),
        };
        send(&self.end.events, Event::Health(Box::new(health)));
    }

    /// The target as an NVMe namespace, if it is a whole one.
    pub(super) fn kernel(&self) -> Option<Kernel> {
        Kernel::on(self.beside.disk.as_ref()?, &self.file)
    }
}
