//! Hands the arguments to `cli`.
fn main() -> std::process::ExitCode {
    briefing::cli::main()
}
