//! Tables for programs: one line of heads, all digits, an empty field for a missing value.

use crate::report::ReportError;
use crate::report::model::{DataTable, Value};
use crate::report::numbers::all_digits;

/// The table as CSV text with LF line ends.
///
/// # Errors
/// [`ReportError::Csv`] if a row does not have as many fields as there are heads.
pub fn render(table: &DataTable) -> Result<String, ReportError> {
    let failed = |source| ReportError::Csv {
        table: table.file.clone(),
        source,
    };
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(&table.heads).map_err(failed)?;
    for row in &table.rows {
        writer.write_record(row.iter().map(field)).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| failed(::csv::Error::from(error.into_error())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn field(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number, _) => all_digits(*number),
        Value::Count(count) => count.to_string(),
        Value::Missing(_) => String::new(),
    }
}
