//! Mounts and swap as the kernel lists them, reduced to device numbers.
//!
//! A mount's own device number is not enough: btrfs and overlays have anonymous ones, so the
//! device of the mount's source counts too. Names are never compared.

use super::super::sysfs::DeviceNumber;

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Device number of the file system; anonymous for some.
    pub number: DeviceNumber,
    /// Device number of its source, where that is a block device.
    pub source: Option<DeviceNumber>,
    /// Where it is mounted.
    pub point: String,
}

/// Reads `/proc/self/mountinfo`; `number_of` gives the number of a block device by its path.
pub fn parse_mounts(text: &str, number_of: impl Fn(&str) -> Option<DeviceNumber>) -> Vec<Mount> {
    let mount = |line: &str| {
        let (fields, source_fields) = line.split_once(" - ")?;
        let mut fields = fields.split(' ').skip(2);
        let number = DeviceNumber::parse(fields.next()?)?;
        let point = unescape(fields.nth(1)?);
        let source = unescape(source_fields.split(' ').nth(1).unwrap_or(""));
        let source = source
            .starts_with('/')
            .then(|| number_of(&source))
            .flatten();
        Some(Mount {
            number,
            source,
            point,
        })
    };
    text.lines().filter_map(mount).collect()
}

/// Reads `/proc/swaps`: the numbers of swap devices. Swap files lie on mounted file systems.
pub fn parse_swaps(
    text: &str,
    number_of: impl Fn(&str) -> Option<DeviceNumber>,
) -> Vec<DeviceNumber> {
    let path = |line: &str| line.split_whitespace().next().map(unescape);
    text.lines()
        .skip(1)
        .filter_map(path)
        .filter_map(|path| number_of(&path))
        .collect()
}

/// Octal escapes (`\040` for a blank) back to characters.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let octal = (byte == b'\\')
            .then(|| tail.get(..3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        rest = match octal {
            Some(code) => {
                bytes.push(code);
                &tail[3..]
            }
            None => {
                bytes.push(byte);
                tail
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn number(major: u32, minor: u32) -> DeviceNumber {
        DeviceNumber { major, minor }
    }

    /// proc(5): ID, parent, major:minor, root, mount point, options, optional fields, separator.
    #[test]
    fn mounts_are_read_with_their_sources() {
        let text = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw\n\
                    45 36 0:41 / /data\\040set rw shared:7 master:2 - btrfs /dev/sdb1 rw\n\
                    46 36 0:42 / /proc rw - proc proc rw\n";
        let number_of = |path: &str| (path == "/dev/sdb1").then_some(number(8, 17));
        let mounts = parse_mounts(text, number_of);
        let expected = |own, source, point: &str| Mount {
            number: own,
            source,
            point: point.to_owned(),
        };
        assert_eq!(
            mounts,
            [
                expected(number(98, 0), None, "/mnt2"),
                expected(number(0, 41), Some(number(8, 17)), "/data set"),
                expected(number(0, 42), None, "/proc"),
            ]
        );
    }

    #[test]
    fn swap_devices_are_read() {
        let text = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n\
                    /dev/dm-1                               partition\t4194300\t0\t-2\n\
                    /swap\\040file                           file\t1048572\t0\t-3\n";
        let number_of = |path: &str| (path == "/dev/dm-1").then_some(number(253, 1));
        assert_eq!(parse_swaps(text, number_of), [number(253, 1)]);
    }

    #[test]
    fn broken_lines_are_no_mounts() {
        assert_eq!(parse_mounts("36 35\n\nx - y", |_| None), []);
        assert_eq!(unescape("a\\04"), "a\\04");
    }
}
