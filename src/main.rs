//! The `ptse` program: hands its arguments to the library and ends with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ptse::commands::main()
}
