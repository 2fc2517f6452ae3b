//! Whole sessions over a duplex pipe: order, cancels, panics, broken frames and every way to leave.

mod frames;
#[cfg(unix)]
mod processes;
mod support;

use briefing::lsp::transport::{Cause, Exit};
use serde_json::{Value, json};
use support::{Client, PIPE_BYTES};

use crate::client::tests;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const NOT_INITIALIZED: i64 = -32002;
const CANCELLED: i64 = -32800;

// Order.
tests! {
    async fn a_request_after_a_burst_of_300_changes_sees_the_last() {
        let mut client = Client::initialized().await;
        for count in 1..=300 {
            client.change(&count.to_string()).await;
        }
        client.ask(1, "test/text", None).await;
        client.expect_result(1, "300").await;
        client.leave().await;
    }

    async fn three_thousand_edits_and_reads_never_change_places() {
        let mut client = Client::initialized().await;
        for batch in 0..30 {
            for count in batch * 100..(batch + 1) * 100 {
                client.change(&count.to_string()).await;
                client.ask(count, "test/text", None).await;
            }
            // Answers may come in any order; each tells what the text was when its question arrived.
            for _ in 0..100 {
                let answer = client.read().await;
                assert_eq!(answer["result"], json!(answer["id"].to_string()));
            }
        }
        client.leave().await;
    }

    async fn a_cheap_request_does_not_wait_for_five_slow_ones() {
        let mut client = Client::initialized().await;
        for id in 1..=5 {
            client.ask(id, "test/slow", None).await;
        }
        client.ask(6, "test/text", None).await;
        client.expect_result(6, "").await;
        for _ in 1..=5 {
            client.tell("test/release", None).await;
            assert_eq!(client.read().await["result"], "slow");
        }
        client.leave().await;
    }

    async fn twenty_handlers_that_wait_for_the_client_do_not_block_each_other() {
        let mut client = Client::initialized().await;
        for id in 1..=20 {
            client.ask(id, "test/ask", None).await;
        }
        let mut questions = Vec::new();
        for _ in 1..=20 {
            let question = client.read().await;
            assert_eq!(question["method"], "workspace/configuration");
            questions.push(question["id"].clone());
        }
        client.is_served().await;
        for question in questions {
            client.body(json!({"jsonrpc": "2.0", "id": question, "result": [7]}).to_string()).await;
            assert_eq!(client.read().await["result"], json!([7]));
        }
        client.leave().await;
    }

    async fn what_a_handler_says_comes_before_its_answer() {
        let mut client = Client::initialized().await;
        for id in 1..=20 {
            client.ask(id, "test/say", None).await;
            for count in 0..10 {
                assert_eq!(client.read().await["params"]["message"], count.to_string());
            }
            client.expect_result(id, Value::Null).await;
        }
        client.leave().await;
    }

    async fn an_answer_larger_than_the_pipe_arrives_whole() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/large", None).await;
        client.ask(2, "test/large", None).await;
        for id in 1..=2 {
            client.expect_result(id, "x".repeat(4 * PIPE_BYTES)).await;
        }
        client.leave().await;
    }
}

// Answers of the client.
tests! {
    async fn an_error_from_the_client_reaches_the_handler_that_asked() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/ask", None).await;
        let question = client.read().await["id"].clone();
        let error = json!({"code": -32601, "message": "no such thing", "extra": true});
        client.body(json!({"jsonrpc": "2.0", "id": question, "error": error}).to_string()).await;
        assert_eq!(client.expect_error(1, METHOD_NOT_FOUND).await, "no such thing");
        client.leave().await;
    }

    async fn an_answer_nobody_waits_for_is_ignored() {
        let mut client = Client::initialized().await;
        client.body(r#"{"jsonrpc":"2.0","id":4711,"result":null}"#).await;
        client.is_served().await;
        client.leave().await;
    }
}

// Cancels.
tests! {
    async fn a_cancel_reaches_a_running_request_while_others_run() {
        let mut client = Client::initialized().await;
        for id in 1..=8 {
            client.ask(id, "test/slow", None).await;
        }
        client.is_served().await;
        client.tell("$/cancelRequest", json!({"id": 5})).await;
        client.expect_error(5, CANCELLED).await;
        client.slow_has_ended().await;
        for _ in 1..=7 {
            client.tell("test/release", None).await;
            assert_eq!(client.read().await["result"], "slow");
        }
        client.leave().await;
    }

    async fn a_request_that_takes_too_long_is_given_up_and_ends_while_others_are_answered() {
        let mut client = Client::impatient().await;
        client.ask(5, "test/slow", None).await;
        client.expect_error(5, -32803).await;
        client.slow_has_ended().await;
        client.is_served().await;
        // Its id is free again.
        client.ask(5, "test/needsANumber", json!(7)).await;
        client.expect_result(5, 7).await;
        client.leave().await;
    }

    async fn a_cancel_overtakes_what_is_queued_and_spares_the_rest() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/hold", None).await;
        client.is_held().await;
        client.ask(2, "test/slow", None).await;
        client.change("kept").await;
        client.ask(3, "test/text", None).await;
        client.tell("$/cancelRequest", json!({"id": 2})).await;
        // When the pipe has taken this much more, the server has read the cancel.
        for _ in 0..4 {
            client.tell("$/padding", json!("x".repeat(PIPE_BYTES))).await;
        }
        client.release_held();
        client.expect_result(1, "held").await;
        client.expect_error(2, CANCELLED).await;
        client.expect_result(3, "kept").await;
        client.leave().await;
    }

    async fn ids_of_any_size_and_kind_can_be_cancelled() {
        let mut client = Client::initialized().await;
        for id in [json!(i64::MAX), json!(-1), json!("word"), json!("1")] {
            client.ask(id.clone(), "test/slow", None).await;
            client.is_served().await;
            client.tell("$/cancelRequest", json!({"id": id.clone()})).await;
            client.expect_error(id, CANCELLED).await;
            client.slow_has_ended().await;
        }
        client.leave().await;
    }

    async fn a_cancel_that_comes_too_late_or_names_nothing_is_ignored() {
        let mut client = Client::initialized().await;
        client.is_served().await;
        client.tell("$/cancelRequest", json!({"id": "served?"})).await;
        client.tell("$/cancelRequest", json!({"id": 99})).await;
        client.is_served().await;
        client.leave().await;
    }

    async fn a_cancel_without_a_usable_id_is_refused() {
        let mut client = Client::initialized().await;
        client.tell("$/cancelRequest", json!({"id": 1.5})).await;
        client.expect_error(Value::Null, INVALID_REQUEST).await;
        client.leave().await;
    }

    async fn an_id_in_use_is_refused_and_free_again_afterwards() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/slow", None).await;
        client.ask(1, "test/text", None).await;
        client.expect_error(1, INVALID_REQUEST).await;
        client.tell("test/release", None).await;
        client.expect_result(1, "slow").await;
        client.ask(1, "test/text", None).await;
        client.expect_result(1, "").await;
        client.leave().await;
    }
}

// Panics.
tests! {
    async fn a_panic_is_an_answer_and_the_session_goes_on() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/panics", None).await;
        assert_eq!(client.expect_error(1, INTERNAL_ERROR).await, "test/panics panicked: at once");
        client.ask(1, "test/panicsLater", None).await;
        assert_eq!(client.expect_error(1, INTERNAL_ERROR).await, "test/panicsLater panicked: after 1 await");
        client.ask(1, "test/text", None).await;
        client.expect_result(1, "").await;
        client.leave().await;
    }

    async fn a_panic_in_a_notification_is_survived() {
        let mut client = Client::initialized().await;
        client.tell("test/panicsUnanswered", None).await;
        client.is_served().await;
        client.leave().await;
    }

    async fn an_initialize_that_fails_or_panics_can_be_tried_again() {
        let mut client = Client::new();
        for how in ["fail", "panic"] {
            client.ask(1, "initialize", json!({"capabilities": {}, "initializationOptions": how})).await;
            client.expect_error(1, INTERNAL_ERROR).await;
        }
        client.ask(1, "initialize", json!({"capabilities": {}})).await;
        client.expect_result(1, json!({"capabilities": {}})).await;
        client.is_served().await;
        client.leave().await;
    }
}

// The life of a session.
tests! {
    async fn nothing_is_served_before_initialize() {
        let mut client = Client::new();
        for method in ["test/text", "test/unknown", "shutdown"] {
            client.ask(1, method, None).await;
            client.expect_error(1, NOT_INITIALIZED).await;
        }
        client.change("unheard").await;
        client.tell("initialize", json!({"capabilities": {}})).await;
        client.ask(1, "initialize", Value::Null).await;
        client.expect_error(1, INVALID_PARAMS).await;
        client.ask(1, "initialize", json!({"capabilities": {}, "initializationOptions": "wait"})).await;
        client.ask(2, "test/text", None).await;
        client.expect_error(2, NOT_INITIALIZED).await;
        client.ask(3, "initialize", json!({"capabilities": {}})).await;
        client.expect_error(3, INVALID_REQUEST).await;
        client.tell("$/cancelRequest", json!({"id": 1})).await;
        client.expect_error(1, CANCELLED).await;
        client.ask(4, "initialize", json!({"capabilities": {}})).await;
        client.expect_result(4, json!({"capabilities": {}})).await;
        client.ask(5, "initialize", json!({"capabilities": {}})).await;
        client.expect_error(5, INVALID_REQUEST).await;
        client.ask(6, "test/text", None).await;
        client.expect_result(6, "").await;
        client.leave().await;
    }

    async fn initialize_may_speak_before_it_answers() {
        let mut client = Client::new();
        client.ask(1, "initialize", json!({"capabilities": {}, "initializationOptions": "speak"})).await;
        for _ in 0..3 {
            assert_eq!(client.read().await["method"], "window/logMessage");
        }
        client.expect_result(1, json!({"capabilities": {}})).await;
        client.leave().await;
    }

    async fn initialized_needs_no_params() {
        for params in [None, Some(Value::Null), Some(json!({}))] {
            let mut client = Client::initialized().await;
            client.tell("initialized", params).await;
            client.ask(1, "test/text", None).await;
            client.expect_result(1, "initialized").await;
            client.leave().await;
        }
    }

    async fn shutdown_takes_whatever_params_a_client_sends() {
        for params in [None, Some(Value::Null), Some(json!({})), Some(json!([]))] {
            let mut client = Client::initialized().await;
            client.ask(1, "shutdown", params.clone()).await;
            client.expect_result(1, Value::Null).await;
            client.tell("exit", params).await;
            assert_eq!(client.end().await, Exit::Orderly(Cause::ExitNotification));
        }
    }

    async fn after_shutdown_everything_is_refused() {
        let mut client = Client::initialized().await;
        client.ask(1, "shutdown", None).await;
        client.expect_result(1, Value::Null).await;
        for method in ["test/text", "test/unknown", "shutdown", "initialize"] {
            client.ask(2, method, None).await;
            client.expect_error(2, INVALID_REQUEST).await;
        }
        client.tell("test/release", None).await;
        client.tell("exit", None).await;
        assert_eq!(client.end().await.code(), 0);
    }

    async fn exit_without_shutdown_is_code_1() {
        let mut client = Client::initialized().await;
        client.tell("exit", None).await;
        let exit = client.end().await;
        assert_eq!((exit, exit.code()), (Exit::Abrupt(Cause::ExitNotification), 1));

        let mut client = Client::new();
        client.tell("exit", None).await;
        assert_eq!(client.end().await.code(), 1);
    }

    async fn exit_answers_what_still_runs_and_loses_nothing() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/large", None).await;
        client.ask(2, "test/slow", None).await;
        client.ask(3, "shutdown", None).await;
        client.tell("exit", None).await;
        client.expect_result(1, "x".repeat(4 * PIPE_BYTES)).await;
        client.expect_result(3, Value::Null).await;
        client.expect_error(2, CANCELLED).await;
        client.slow_has_ended().await;
        assert_eq!(client.end().await.code(), 0);
    }

    async fn the_end_of_input_ends_the_session() {
        let mut client = Client::initialized().await;
        client.close_input();
        let exit = client.end().await;
        assert_eq!((exit, exit.code()), (Exit::Abrupt(Cause::EndOfInput), 1));

        let mut client = Client::initialized().await;
        client.ask(1, "shutdown", None).await;
        client.expect_result(1, Value::Null).await;
        client.close_input();
        let exit = client.end().await;
        assert_eq!((exit, exit.code()), (Exit::Orderly(Cause::EndOfInput), 0));
    }

    async fn requests_before_the_end_of_input_are_answered() {
        let mut client = Client::initialized().await;
        client.change("last").await;
        client.ask(1, "test/slow", None).await;
        client.ask(2, "test/text", None).await;
        client.ask(3, "test/slow", None).await;
        client.tell("test/release", None).await;
        client.bytes("Content-Length: 50\r\n\r\n{").await;
        client.close_input();
        let mut answers = [client.read().await, client.read().await, client.read().await];
        answers.sort_by_key(|answer| answer["id"].as_i64());
        assert_eq!(answers[0]["result"], "slow");
        assert_eq!(answers[1]["result"], "last");
        assert_eq!(answers[2]["error"]["code"], CANCELLED);
        assert_eq!(client.end().await.code(), 1);
    }

    async fn a_client_that_closes_everything_ends_the_session() {
        let mut client = Client::initialized().await;
        client.ask(1, "test/slow", None).await;
        assert_eq!(client.vanish().await.code(), 1);
    }

    async fn a_client_that_never_reads_cannot_hold_up_the_exit() {
        let mut client = Client::initialized().await;
        for id in 1..=3 {
            client.ask(id, "test/large", None).await;
        }
        client.tell("exit", None).await;
        assert_eq!(client.ignore().await, Exit::Abrupt(Cause::ExitNotification));
    }
}
