//! The client's process and pipes.

use super::*;
use std::process::{Child, Command, Stdio};

fn process() -> Child {
    Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat runs")
}

async fn initialized_from(process: &Child) -> Client {
    let mut client = Client::new();
    client.ask(0, "initialize", json!({"capabilities": {}, "processId": process.id()})).await;
    client.expect_result(0, json!({"capabilities": {}})).await;
    client
}

tests! {
    async fn the_session_ends_when_the_client_process_is_gone() {
        let mut process = process();
        let mut client = initialized_from(&process).await;
        client.is_served().await;
        process.kill().expect("it runs");
        process.wait().expect("it was ours");
        let exit = client.end().await;
        assert_eq!((exit, exit.code()), (Exit::Abrupt(Cause::ClientGone), 1));
    }

    async fn a_process_that_is_gone_from_the_start_ends_the_session() {
        let mut process = process();
        process.kill().expect("it runs");
        process.wait().expect("it was ours");
        let client = initialized_from(&process).await;
        assert_eq!(client.end().await, Exit::Abrupt(Cause::ClientGone));
    }

    async fn a_process_id_that_names_nothing_is_not_watched() {
        for process in [Value::Null, json!(0), json!(u32::MAX)] {
            let mut client = Client::new();
            client.ask(0, "initialize", json!({"capabilities": {}, "processId": process})).await;
            client.expect_result(0, json!({"capabilities": {}})).await;
            client.is_served().await;
            client.leave().await;
        }
    }
}

#[cfg(target_os = "linux")]
tests! {
    async fn a_client_process_that_nobody_buried_is_gone_too() {
        let mut process = process();
        let client = initialized_from(&process).await;
        process.kill().expect("it runs");
        assert_eq!(client.end().await, Exit::Abrupt(Cause::ClientGone));
        process.wait().expect("it was ours");
    }
}

tests! {
    async fn a_closed_output_ends_the_session() {
        let (mut input, server_input) = tokio::io::duplex(PIPE_BYTES);
        let (_, server_output) = tokio::io::duplex(PIPE_BYTES);
        let (service, socket) = support::service();
        let served = tokio::spawn(briefing::lsp::transport::serve(server_input, server_output, service, socket));
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        tokio::io::AsyncWriteExt::write_all(&mut input, frame.as_bytes()).await.expect("pipe is open");
        let exit = tokio::time::timeout(support::DEADLINE, served).await.expect("it ends in time").expect("no panic");
        assert_eq!((exit, exit.code()), (Exit::Abrupt(Cause::EndOfOutput), 1));
    }
}
