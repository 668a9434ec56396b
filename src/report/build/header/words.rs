//! Settings in the words of the header block.

use super::NOT_APPLICABLE;
use crate::spec::plan::PlannedFill;
use crate::stimulus::{Access, Content, EngineKind};
use crate::units::Bytes;
use crate::verdict::ledger::intensity_text;

pub(super) fn cache_text(state: &str) -> String {
    match state {
        "off" => "off (WCD)".to_owned(),
        "on" => "on (WCE)".to_owned(),
        "absent" => "no volatile cache".to_owned(),
        other => {
            let cause = other.strip_prefix("unknown:").unwrap_or(other).trim();
            format!("not recorded ({cause})")
        }
    }
}

pub(super) fn intensity(access: Option<&Access>) -> String {
    access.map_or(NOT_APPLICABLE.to_owned(), |access| {
        let text = intensity_text(access.threads, access.queue_depth);
        let way = match access.engine {
            EngineKind::Ring => "",
            EngineKind::Sync => ", synchronous calls",
        };
        format!("{} - {text}{way}", access.outstanding())
    })
}

pub(super) fn pattern(access: Option<&Access>) -> String {
    access.map_or(NOT_APPLICABLE.to_owned(), |access| match access.content {
        Content::Random => "RND".to_owned(),
        Content::Fresh => "RND, made anew for each I/O".to_owned(),
        other @ (Content::Stamped | Content::Zero | Content::Reducible(_)) => other.words(),
    })
}

pub(super) fn fill_text(fill: &PlannedFill) -> String {
    let access = &fill.access;
    let order = if access.random_percent == 0 {
        "SEQ"
    } else {
        "RND"
    };
    let block = access.write_blocks.single();
    let block = block.map_or("mixed sizes".to_owned(), Bytes::as_block);
    format!("{order} {block} W")
}

pub(super) fn duration_text(amount: Bytes, capacity: Bytes) -> String {
    if capacity.0 > 0 && amount.0.is_multiple_of(capacity.0) {
        return format!("{}X Device Capacity", amount.0 / capacity.0);
    }
    format!("{} ({} B)", amount.as_capacity(), amount.0)
}
