"""Asks the real Aider: `aider --message` sends one message to a mock of an OpenAI-compatible provider.

`session`: the message with the read-only files (role user). Its set of files has another order in every run, so cases name one.
"""
import os

from chat_model import Model, environment, last_request, said_by

CLIENT, VERSION = "aider", "0.86.2"
BINARY = "aider/bin/aider"
HEAD = "Here are some READ ONLY files"


def ask(clients, case, ask):
    model = Model([], tools=False)
    os.makedirs(case.home(), exist_ok=True)
    env = environment(case, OPENAI_API_KEY="dummy", OPENAI_API_BASE=model.url, LITELLM_LOCAL_MODEL_COST_MAP="True")
    command = [os.path.join(clients, BINARY), "--model", "openai/gpt-4o", "--message", "hi", "--no-check-update", "--no-show-model-warnings", "--no-show-release-notes",
               "--no-gitignore", "--no-stream", "--map-tokens", "0"]
    command += [word for path in case.options("aider").get("read", []) for word in ("--read", path)]
    body = last_request(model, command, ask, env)
    if body is None:
        return "refused"
    return [("session", "user", text) for text in said_by(body, "user") if text.startswith(HEAD)]
