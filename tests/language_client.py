"""A client of `briefing lsp` for the scripts beside it: asks, tells, and reads the answers on a thread of its own."""

import json
import os
import queue
import subprocess
import threading

CAPABILITIES = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
# Of a client that tells of files that appear, change and go.
WATCHES = {**CAPABILITIES, "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}


class Client:
    """One server, and what it says."""

    def __init__(self, briefing, root, environment, before=(), options=None, notified=lambda message: None, capabilities=None):
        self.process = subprocess.Popen([*before, briefing, "lsp"], cwd=root, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers, self.id, self.versions, self.notified = queue.Queue(), 0, {}, notified
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", {"processId": os.getpid(), "capabilities": capabilities or CAPABILITIES,
                                "initializationOptions": options, "rootUri": root.as_uri(),
                                "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}]})
        self.tell("initialized", {})

    def _read(self):
        out = self.process.stdout
        while line := out.readline():
            length = int(line.split(b":")[1])
            out.readline()
            message = json.loads(out.read(length))
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})
            elif "id" in message:
                self.answers.put(message)
            else:
                self.notified(message)

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params, patience=60):
        """The result, or what went wrong."""
        self.id += 1
        self._send({"id": self.id, "method": method, "params": params})
        while True:
            answer = self.answers.get(timeout=patience)
            if answer["id"] == self.id:
                return answer.get("result", answer.get("error"))

    def open(self, path):
        text = path.read_text() if path.is_file() else ""
        document = {"uri": path.as_uri(), "languageId": "markdown", "version": 0, "text": text}
        self.versions[path] = 0
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, path, text):
        if path not in self.versions:
            self.open(path)
        self.versions[path] += 1
        document = {"uri": path.as_uri(), "version": self.versions[path]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, path):
        if self.versions.pop(path, None) is not None:
            self.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def effective(self, path, harness):
        params = {"textDocument": {"uri": path.as_uri()}, "harness": harness, "include": ["text"]}
        return self.ask("briefing/effectiveInstructions", params)

    def leave(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(timeout=30)
