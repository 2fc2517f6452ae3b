//! Broken frames, and bodies that are no messages.

use super::*;

tests! {
    async fn headers_may_be_lower_case_and_end_in_a_bare_line_feed() {
        let mut client = Client::initialized().await;
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"test/text"}"#;
        let length = body.len();
        for header in [
            format!("content-length: {length}\r\n\r\n"),
            format!("CONTENT-LENGTH:{length}\n\n"),
            format!("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {length}\r\n\r\n"),
            format!("Content-Length: {length} \r\nContent-Type: application/vscode-jsonrpc\r\n\r\n"),
            format!("\r\n\nContent-Length: {length}\r\n\r\n"),
        ] {
            client.bytes(header + body).await;
            client.expect_result(1, "").await;
        }
        client.leave().await;
    }

    async fn a_frame_may_arrive_byte_by_byte() {
        let mut client = Client::initialized().await;
        for byte in b"Content-Length: 45\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test/text\"}" {
            client.bytes([*byte]).await;
            tokio::task::yield_now().await;
        }
        client.expect_result(1, "").await;
        client.leave().await;
    }

    async fn a_body_that_is_no_json_is_refused() {
        let mut client = Client::initialized().await;
        for body in ["{\"jsonrpc\":", "", "nonsense", "{}}", "\u{feff}{}"] {
            client.body(body).await;
            client.expect_error(Value::Null, PARSE_ERROR).await;
            client.is_served().await;
        }
        client.body(b"{\"method\":\"\xff\"}").await;
        client.expect_error(Value::Null, PARSE_ERROR).await;
        client.is_served().await;
        client.body("[".repeat(100_000)).await;
        client.expect_error(Value::Null, PARSE_ERROR).await;
        client.is_served().await;
        client.leave().await;
    }

    async fn a_wrong_length_costs_one_message() {
        let mut client = Client::initialized().await;
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"test/text"}"#;
        for length in [10, 44, 46, 50, 60, 67, 70, 150, 100_000, 99_999_999] {
            client.bytes(format!("Content-Length: {length}\r\n\r\n{body}")).await;
            client.ask(2, "test/text", None).await;
            client.expect_error(Value::Null, PARSE_ERROR).await;
            client.expect_result(2, "").await;
        }
        client.leave().await;
    }

    async fn a_header_without_a_length_costs_one_message() {
        let mut client = Client::initialized().await;
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"test/text"}"#;
        for header in ["Content-Type: text\r\n\r\n", "Content-Length: many\r\n\r\n", "Content-Length: -5\r\n\r\n", "", "?\n", ":\n"] {
            client.bytes(format!("{header}{body}")).await;
            client.ask(2, "test/text", None).await;
            client.expect_error(Value::Null, PARSE_ERROR).await;
            client.expect_result(2, "").await;
        }
        client.leave().await;
    }

    async fn garbage_without_a_line_break_costs_one_message() {
        let mut client = Client::initialized().await;
        client.bytes("x".repeat(10 * PIPE_BYTES)).await;
        client.ask(2, "test/text", None).await;
        client.expect_error(Value::Null, PARSE_ERROR).await;
        client.expect_result(2, "").await;
        client.leave().await;
    }

    async fn a_message_over_the_limit_is_refused_and_skipped() {
        let mut client = Client::initialized().await;
        for length in ["268435457", "99999999999999999999999999"] {
            client.bytes(format!("Content-Length: {length}\r\n\r\n")).await;
            let message = client.expect_error(Value::Null, INVALID_REQUEST).await;
            assert!(message.ends_with("the limit is 268435456 bytes"), "{message}");
            client.bytes("x".repeat(10 * PIPE_BYTES)).await;
            client.is_served().await;
        }
        client.leave().await;
    }

    async fn a_body_may_quote_a_header() {
        let mut client = Client::initialized().await;
        client.change("Content-Length: 5\r\n\r\nhello").await;
        client.ask(1, "test/text", None).await;
        client.expect_result(1, "Content-Length: 5\r\n\r\nhello").await;
        client.body("{\n\"jsonrpc\": \"2.0\",\r\n\"id\": 2,\n\"method\": \"test/text\"\n}\n").await;
        client.expect_result(2, "Content-Length: 5\r\n\r\nhello").await;
        client.leave().await;
    }

    async fn lone_surrogates_become_replacement_characters() {
        let mut client = Client::initialized().await;
        for (escaped, text) in [
            (r"\uD83D", "\u{fffd}"),
            (r"a\ude00b", "a\u{fffd}b"),
            (r"\uD83D\uDE00", "\u{1F600}"),
            (r"\uD83D\uD83D\uDE00\uDE00", "\u{fffd}\u{1F600}\u{fffd}"),
            (r"\uD83D\u0041", "\u{fffd}A"),
            (r"\uD83D\n", "\u{fffd}\n"),
            (r"\\uD83D \uD83D", "\\uD83D \u{fffd}"),
            (r"\\\uD83D", "\\\u{fffd}"),
            (r"\uD83D\\uDE00", "\u{fffd}\\uDE00"),
            (r#"\"\uDFFF\""#, "\"\u{fffd}\""),
        ] {
            let document = r#"{"uri":"file:///a","version":1}"#;
            client.body(format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{document},"contentChanges":[{{"text":"{escaped}"}}]}}}}"#
            )).await;
            client.ask(1, "test/text", None).await;
            client.expect_result(1, text).await;
        }
        client.body(r#"{"broken":"\uD83D\u12"}"#).await;
        client.expect_error(Value::Null, PARSE_ERROR).await;
        client.leave().await;
    }

    async fn a_batch_is_refused() {
        let mut client = Client::initialized().await;
        client.body(r#"[{"jsonrpc":"2.0","id":1,"method":"test/text"}]"#).await;
        assert_eq!(
            client.expect_error(Value::Null, INVALID_REQUEST).await,
            "LSP has no batches; send each message in its own frame"
        );
        client.is_served().await;
        client.leave().await;
    }

    async fn what_is_no_message_is_refused() {
        let mut client = Client::initialized().await;
        for (body, id) in [
            ("5", Value::Null),
            ("null", Value::Null),
            ("\"text\"", Value::Null),
            ("{}", Value::Null),
            (r#"{"id":7,"method":5}"#, json!(7)),
            (r#"{"id":null,"method":"test/text"}"#, Value::Null),
            (r#"{"id":1.5,"method":"test/text"}"#, Value::Null),
            (r#"{"id":true,"result":null}"#, Value::Null),
        ] {
            client.body(body).await;
            client.expect_error(id, INVALID_REQUEST).await;
        }
        client.is_served().await;
        client.leave().await;
    }

    async fn bad_params_and_unknown_methods_are_errors() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/needsANumber", json!("word")).await;
        client.expect_error(1, INVALID_PARAMS).await;
        client.ask(2, "test/needsANumber", None).await;
        client.expect_error(2, INVALID_PARAMS).await;
        client.ask(3, "test/unknown", None).await;
        client.expect_error(3, METHOD_NOT_FOUND).await;
        client.ask(4, "$/unknown", None).await;
        client.expect_error(4, METHOD_NOT_FOUND).await;
        client.tell("test/unknown", None).await;
        client.tell("$/unknown", None).await;
        client.tell("textDocument/didChange", json!(5)).await;
        client.leave().await;
    }
}
