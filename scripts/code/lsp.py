"""A language-server client: enough of the protocol to ask for definitions."""

import json
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlparse

# Requests in flight at once. Servers answer one after another, so a window only
# hides the pipe's latency; a small one keeps their queues short.
WINDOW = 32


class Server:
    """One language server, over its standard streams."""

    def __init__(self, command, root, settings, options, environment=None):
        self.root, self.settings = Path(root), settings
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root, env=environment
        )
        self.last = 0
        self.quiescent = False
        self.ask_one(
            "initialize",
            {
                "processId": None,
                "rootUri": self.root.as_uri(),
                "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
                "initializationOptions": options,
                "capabilities": {
                    "textDocument": {"definition": {"linkSupport": False}, "implementation": {"linkSupport": False}},
                    "workspace": {"configuration": True, "workspaceFolders": True},
                    "window": {"workDoneProgress": True},
                    "experimental": {"serverStatusNotification": True},
                },
            },
        )
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        """Write one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        """Read one message, answering the server's own requests on the way."""
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()) or not length:
                if not line:
                    raise SystemExit("the language server closed its output")
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if "method" not in message:
                return message
            if message["method"] == "experimental/serverStatus":
                self.quiescent = message["params"]["quiescent"]
                return message
            if "id" in message:
                self.send({"id": message["id"], "result": self.configuration(message)})

    def configuration(self, message):
        """What the server asked for: its settings, or nothing."""
        if message["method"] != "workspace/configuration":
            return None
        return [self.settings.get(item.get("section"), {}) for item in message["params"]["items"]]

    def ask_one(self, method, parameters):
        """One request and its result."""
        return self.ask([(method, parameters)])[0]

    def ask(self, requests):
        """Several requests at once; their results in the same order."""
        results, waiting, position = [None] * len(requests), {}, 0
        while position < len(requests) or waiting:
            while position < len(requests) and len(waiting) < WINDOW:
                self.last += 1
                method, parameters = requests[position]
                waiting[self.last] = position
                self.send({"id": self.last, "method": method, "params": parameters})
                position += 1
            message = self.receive()
            slot = waiting.pop(message.get("id"), None)
            if slot is not None:
                results[slot] = message.get("result")
        return results

    def settle(self):
        """Wait until the server says that it has loaded the project."""
        while not self.quiescent:
            self.receive()

    def open(self, path, language, text):
        """Show the server a file."""
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def close(self, path):
        """Take a file away again."""
        self.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": path.as_uri()}}})

    def locations(self, result):
        """The answer to a definition request, as (path, line, column) from 0."""
        if not result:
            return []
        places = result if isinstance(result, list) else [result]
        return [
            (Path(unquote(urlparse(place["uri"]).path)), place["range"]["start"]["line"], place["range"]["start"]["character"])
            for place in places
        ]

    def stop(self):
        """End the server."""
        self.process.kill()
        self.process.wait()
