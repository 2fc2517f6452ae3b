//! Methods of counting tokens, and how far the figures can be relied on.

use clap::ValueEnum;

use crate::answer::Resolution;
use crate::report::briefing::ESTIMATE;

/// How tokens are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// A quarter of the bytes, which is near for English and code
    #[default]
    Estimate,
    /// By the vocabulary of OpenAI's models since GPT-4o
    O200k,
    /// By the vocabulary of GPT-4 and GPT-3.5
    Cl100k,
}

impl Method {
    /// Returns the name of the method.
    pub fn word(self) -> &'static str {
        match self {
            Method::Estimate => ESTIMATE,
            Method::O200k => "o200k",
            Method::Cl100k => "cl100k",
        }
    }
}

/// Counts the tokens of a text.
type Count = Box<dyn Fn(&str) -> usize>;

/// Returns the counter of a vocabulary; `None` if tokens are estimated from bytes.
#[cfg(feature = "tokens")]
pub(super) fn counter(method: Method) -> Result<Option<Count>, String> {
    let vocabulary = match method {
        Method::Estimate => return Ok(None),
        Method::O200k => bpe_openai::o200k_base(),
        Method::Cl100k => bpe_openai::cl100k_base(),
    };
    Ok(Some(Box::new(move |text| vocabulary.count(text))))
}

/// Fails if the method needs a vocabulary: this program is built without them.
#[cfg(not(feature = "tokens"))]
pub(super) fn counter(method: Method) -> Result<Option<Count>, String> {
    match method {
        Method::Estimate => Ok(None),
        Method::O200k | Method::Cl100k => Err(format!(
            "--tokens {}: this program was built without vocabularies; build it with `--features tokens`",
            method.word()
        )),
    }
}

/// Provider of the model that answers.
enum Family {
    OpenAi,
    Claude,
    Gemini,
    /// The user chooses.
    Any,
}

fn family(answer: &Resolution) -> Family {
    let model = answer.standpoint.model.as_deref().unwrap_or_default().to_ascii_lowercase();
    let by_model = |word: &str| model.contains(word);
    match answer.harness.as_str() {
        _ if by_model("claude") => Family::Claude,
        _ if by_model("gemini") => Family::Gemini,
        _ if by_model("gpt") => Family::OpenAi,
        "claude-code" => Family::Claude,
        "gemini-cli" => Family::Gemini,
        "codex" => Family::OpenAi,
        _ => Family::Any,
    }
}

/// Returns a note on the accuracy of the figures for the model that answers.
pub(super) fn remark(method: Method, answer: &Resolution) -> Option<String> {
    let word = method.word();
    Some(match (method, family(answer)) {
        (Method::Estimate, Family::OpenAi | Family::Any) => "Tokens are estimated: a quarter of the bytes".to_owned(),
        (Method::Estimate, Family::Claude) => {
            "Tokens are estimated, a quarter of the bytes: Claude has no public tokenizer".to_owned()
        }
        (Method::Estimate, Family::Gemini) => {
            "Tokens are estimated, a quarter of the bytes: Gemini has no public tokenizer".to_owned()
        }
        (Method::O200k, Family::OpenAi) => {
            "Tokens are counted with o200k, the vocabulary of OpenAI's models since GPT-4o".to_owned()
        }
        (Method::Cl100k, Family::OpenAi) => {
            "Tokens are counted with cl100k, the vocabulary of GPT-4 and GPT-3.5; later models use o200k".to_owned()
        }
        (_, Family::Claude) => {
            format!("Tokens are those of OpenAI's {word}: Claude has no public tokenizer, and counts otherwise")
        }
        (_, Family::Gemini) => {
            format!("Tokens are those of OpenAI's {word}: Gemini has no public tokenizer, and counts otherwise")
        }
        (_, Family::Any) => format!("Tokens are those of OpenAI's {word}; models of others count otherwise"),
    })
}

#[cfg(all(test, feature = "tokens"))]
mod tests {
    use super::*;

    #[test]
    fn vocabularies_count_as_their_models_do() {
        for (method, text, tokens) in
            [(Method::O200k, "hello world", 2), (Method::Cl100k, "hello world", 2), (Method::O200k, "", 0)]
        {
            let count = counter(method).expect("it is built in").expect("a vocabulary");
            assert_eq!(count(text), tokens, "{text}");
        }
    }
}
