"""Asks the service whatever its own description allows, and what it forbids.

schemathesis reads `/openapi.json` of a running `sextant serve` and makes requests
from it, valid and not. No answer may be a 5xx, and each must be as described:
status, media type, headers and body. openapi.toml says how it asks. Run by
scripts/test with the binary and the virtual environment in target.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SEXTANT_BINARY", str(ROOT / "target/release/sextant"))
CONFIG = Path(__file__).with_name("openapi.toml")
SCHEMA = ROOT / "samples/employees.graphql"
# How long, in seconds, the service may take to listen, and then to build the index.
PATIENCE = 60


class TheDescription(unittest.TestCase):
    """One service with one graph, `employees`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        keys = Path(folder.name, "token-keys")
        keys.write_text(secrets.token_hex(32))
        keyed = ["--token-key-file", str(keys)]
        token = [BINARY, "token", "--graph", "*", "--scope", "write", "--ttl", "1h", *keyed]
        self.token = subprocess.run(token, check=True, capture_output=True, text=True).stdout.strip()
        self.start(["--data", str(Path(folder.name, "data")), "--listen", "127.0.0.1:0", *keyed])
        self.upload()

    def start(self, flags: list[str]):
        log = tempfile.TemporaryFile("w+")
        self.addCleanup(log.close)
        environment = {"SEXTANT_LOG": "sextant=info", "PATH": os.environ["PATH"]}
        service = subprocess.Popen([BINARY, "serve", *flags], env=environment, stderr=log)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        text = ""
        for _ in range(PATIENCE * 20):
            log.seek(0)
            text = log.read()
            if found := re.search(r"listening on (\S+)", text):
                self.url = found[1]
                return
            if service.poll() is not None:
                break
            time.sleep(0.05)
        self.fail(f"the service does not listen: {text}")

    def upload(self):
        url = f"{self.url}/v1/graphs/employees/schema"
        headers = {"Content-Type": "application/graphql", "Authorization": f"Bearer {self.token}"}
        put = urllib.request.Request(url, SCHEMA.read_bytes(), headers, method="PUT")
        urllib.request.urlopen(put).close()
        for _ in range(PATIENCE * 10):
            if self.state() == "ready":
                return
            time.sleep(0.1)
        self.fail(f"the graph is still {self.state()}")

    def state(self) -> str:
        headers = {"Authorization": f"Bearer {self.token}"}
        graph = urllib.request.Request(f"{self.url}/v1/graphs/employees", headers=headers)
        with urllib.request.urlopen(graph) as answer:
            return json.load(answer)["state"]

    def test_the_answers_are_as_it_says(self):
        schemathesis = [str(Path(sys.executable).with_name("schemathesis")), "--no-color"]
        command = [*schemathesis, "--config-file", str(CONFIG), "run", f"{self.url}/openapi.json"]
        environment = {**os.environ, "SEXTANT_TEST_TOKEN": self.token}
        run = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, f"\n{run.stdout}\n{run.stderr}")
        tested = re.search(r"Tested: (\d+)", run.stdout)
        self.assertTrue(tested and int(tested[1]) >= 10, run.stdout)
        self.assertEqual(self.state(), "ready", "the graph that was asked is still there")
        # A token that stands in what a tool printed would stand in every log of it.
        self.assertNotIn(self.token, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
