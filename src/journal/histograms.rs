//! Latency histograms as they stand in the journal: HdrHistogram V2, deflated, in base64.
//!
//! Any HdrHistogram tool reads them. Our buckets nest in its buckets, so nothing moves on the way
//! out and back; latencies above the largest bucket are written at its bound.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

use crate::stats::Histogram;
use crate::stats::histogram::OVERFLOW;

/// Significant digits of the form on disk.
const DIGITS: u8 = 3;

/// Why a histogram of the journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// Not base64.
    #[error("the histogram is not base64")]
    Base64(#[from] base64::DecodeError),
    /// Not HdrHistogram V2.
    #[error("the histogram is not in HdrHistogram's V2 form: {cause}")]
    Form {
        /// The library's words.
        cause: String,
    },
}

/// The form for the journal.
///
/// # Panics
/// Never for histograms of latencies: bounds and digits are constants the library accepts.
pub fn encode(histogram: &Histogram) -> String {
    let mut form = hdrhistogram::Histogram::<u64>::new_with_bounds(1, OVERFLOW.0 * 2, DIGITS)
        .expect("constant bounds that the library accepts");
    for (value, count) in histogram.buckets() {
        form.record_n(value, count)
            .expect("every bucket is below the bound");
    }
    if histogram.overflow() > 0 {
        form.record_n(OVERFLOW.0, histogram.overflow())
            .expect("the bound is above it");
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(&form, &mut bytes)
        .expect("writing to memory does not fail");
    STANDARD.encode(bytes)
}

/// Reads the form of the journal back.
///
/// # Errors
/// [`HistogramError`] if the text is not what [`encode`] writes.
pub fn decode(text: &str) -> Result<Histogram, HistogramError> {
    let bytes = STANDARD.decode(text)?;
    let form: hdrhistogram::Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| HistogramError::Form {
            cause: error.to_string(),
        })?;
    let mut histogram = Histogram::default();
    for bucket in form.iter_recorded() {
        histogram.record_times(
            bucket.value_iterated_to(),
            bucket.count_since_last_iteration(),
        );
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_on_the_way_out_and_back() {
        let mut histogram = Histogram::default();
        for exponent in 0..44 {
            histogram.record((1 << exponent) + exponent);
            histogram.record_times((1 << exponent) * 3 / 2, 1000);
        }
        let back = decode(&encode(&histogram)).unwrap();
        assert_eq!(
            back.buckets().collect::<Vec<_>>(),
            histogram.buckets().collect::<Vec<_>>()
        );
        assert_eq!(back.overflow(), histogram.overflow());
    }

    #[test]
    fn garbage_is_refused() {
        assert!(matches!(decode("%%%"), Err(HistogramError::Base64(_))));
        assert!(matches!(decode("AAAA"), Err(HistogramError::Form { .. })));
    }
}
