"""Drives the binary with the official Python MCP SDK, as an agent's host would.

Run by scripts/test, which makes the indexes first; by hand:
    target/clients/venv/bin/python tests/clients/test_python_sdk.py [-v]
"""

import asyncio
import functools
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import graphql
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SEXTANT_BINARY", str(ROOT / "target/release/sextant"))
INDEX = str(ROOT / "target/clients/indexes/employees.sqlite")
SAMPLE = str(ROOT / "samples/employees.graphql")

STILL_BUILDING = "The schema index is still building. Retry in a few seconds."
NOT_VALID = "The request is not valid."
KINDS = {"object", "interface", "union", "enum", "scalar", "input", "field", "input_field", "path"}

# How long a server may go on to say that it is still building.
PATIENCE = 60.0


def server(*arguments: str) -> StdioServerParameters:
    """`sextant mcp` over stdio, with nothing of this machine's settings."""
    return StdioServerParameters(command=BINARY, args=["mcp", *arguments], env={"SEXTANT_LOG": "error"})


async def call(client: Client, tool: str, arguments: dict):
    """The tool's result, asked for again while the index is still building."""
    deadline = time.monotonic() + PATIENCE
    while True:
        result = await client.call_tool(tool, arguments)
        if not (result.is_error and text(result) == STILL_BUILDING):
            return result
        assert time.monotonic() < deadline, f"still building after {PATIENCE} seconds"
        await asyncio.sleep(0.1)


def text(result) -> str:
    assert len(result.content) == 1, "one block of text and nothing else"
    return result.content[0].text


def connected(test):
    """Runs a test with `self.client` connected to a server of its own.

    Not in asyncSetUp and asyncTearDown: unittest runs those as tasks of their own,
    and the SDK's connection must be left by the task that entered it.
    """

    @functools.wraps(test)
    async def with_client(self):
        async with Client(self.server(), mode=self.mode) as self.client:
            await test(self)

    return with_client


class TheContract:
    """What every client may rely on. A subclass says of which protocol era the client is."""

    mode: str

    def server(self) -> StdioServerParameters | str:
        """What to connect to: a server to start, or the URL of one that runs."""
        return server("--index", INDEX)

    async def ask(self, tool: str, **arguments):
        """What a call answers, checked against the tool's own output schema."""
        result = await call(self.client, tool, arguments)
        self.assertFalse(result.is_error, text(result))
        self.assertEqual(json.loads(text(result)), result.structured_content, "the text is the same JSON")
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        Draft202012Validator(tools[tool].output_schema).validate(result.structured_content)
        return result.structured_content

    async def assert_not_valid(self, tool: str, **arguments):
        result = await call(self.client, tool, arguments)
        self.assertTrue(result.is_error, f"{arguments} was accepted")
        self.assertTrue(text(result).startswith(NOT_VALID), text(result))
        self.assertGreater(len(text(result)), len(NOT_VALID), "the reason follows")

    @connected
    async def test_introduces_itself(self):
        info = self.client.server_info
        self.assertEqual(info.name, "sextant")
        self.assertRegex(info.version, r"^\d+\.\d+\.\d+")
        self.assertIsNotNone(self.client.server_capabilities.tools)

    @connected
    async def test_lists_its_tools(self):
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        self.assertEqual({"search_schema", "get_symbols", "generate_query"}, tools.keys())
        for tool in tools.values():
            with self.subTest(tool.name):
                Draft202012Validator.check_schema(tool.input_schema)
                Draft202012Validator.check_schema(tool.output_schema)
                self.assertEqual(tool.input_schema["type"], "object")
                self.assertEqual(tool.output_schema["type"], "object")
                self.assertTrue(tool.annotations.read_only_hint)
                self.assertTrue(tool.annotations.idempotent_hint)
                self.assertIs(tool.annotations.open_world_hint, False)
                self.assertGreater(len(tool.description), 100, "says when to use it, with an example")

        search = tools["search_schema"].input_schema
        self.assertEqual(search["properties"].keys(), {"query", "kinds", "limit", "parent", "paginated"})
        self.assertEqual(search["required"], ["query"])
        self.assertEqual(search["properties"]["limit"].get("default"), 10)
        self.assertEqual(KINDS, {kind for kind in KINDS if f'"{kind}"' in json.dumps(search)}, "all kinds are listed")
        symbols = tools["get_symbols"].input_schema
        self.assertEqual(symbols["properties"].keys(), {"coordinates"})
        self.assertEqual(symbols["required"], ["coordinates"])

    @connected
    async def test_search_ranks_hits_with_their_records(self):
        hits = (await self.ask("search_schema", query="how an employee feels today"))["hits"]
        self.assertEqual(len(hits), 10, "the default limit")
        scores = [hit["score"] for hit in hits]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for hit in hits:
            self.assertEqual(hit["record"]["Coordinate"], hit["coordinate"])
            self.assertIn(hit["coordinate"].split(":")[0], KINDS)
        self.assertIn("field:Employee.currentMood", [hit["coordinate"] for hit in hits])

    @connected
    async def test_search_filters(self):
        async def coordinates(**arguments):
            answer = await self.ask("search_schema", query="employees", **arguments)
            return [hit["coordinate"] for hit in answer["hits"]]

        enums = await coordinates(kinds=["enum"])
        self.assertTrue(enums)
        self.assertTrue(all(coordinate.startswith("enum:") for coordinate in enums), enums)
        root = await coordinates(parent="object:Query")
        self.assertTrue(root)
        self.assertTrue(all(coordinate.startswith("field:Query.") for coordinate in root), root)
        paginated = await coordinates(paginated=True)
        self.assertIn("field:Query.employeesConnection", paginated)
        self.assertNotIn("field:Query.employees", paginated)
        unpaginated = await coordinates(paginated=False, limit=200)
        self.assertNotIn("field:Query.employeesConnection", unpaginated)
        self.assertEqual(len(await coordinates(limit=1)), 1)

    @connected
    async def test_an_exact_coordinate_comes_first(self):
        hits = (await self.ask("search_schema", query="field:Employee.details"))["hits"]
        self.assertEqual(hits[0]["coordinate"], "field:Employee.details")
        self.assertEqual(hits[0]["record"]["TypeRef"], "Details!")

    @connected
    async def test_the_same_question_gets_the_same_answer(self):
        first = await self.ask("search_schema", query="days off that are left", limit=50)
        self.assertEqual(first, await self.ask("search_schema", query="days off that are left", limit=50))

    @connected
    async def test_an_unknown_kind_matches_nothing(self):
        # The tool schema lists the nine kinds; a client that does not heed it is not told off.
        self.assertEqual(await self.ask("search_schema", query="mood", kinds=["directive"]), {"hits": []})

    @connected
    async def test_machinery_and_inaccessible_elements_are_absent(self):
        for query in ("payroll salary bank account", "join graph link", "tag of the employee"):
            answer = await self.ask("search_schema", query=query, limit=200)
            written = json.dumps(answer)
            for word in ("Payroll", "payroll", "APATHETIC", "join__", "link__"):
                self.assertNotIn(word, written)

    @connected
    async def test_symbols_keep_the_order_of_the_request(self):
        wanted = ["enum:Mood", "field:Employee.details", "object:Nobody", "input:EmployeeKey", "object:Employee"]
        answer = await self.ask("get_symbols", coordinates=wanted)
        found = [symbol["coordinate"] for symbol in answer["symbols"]]
        self.assertEqual(found, [coordinate for coordinate in wanted if coordinate != "object:Nobody"])
        mood = answer["symbols"][0]["record"]
        self.assertEqual([value["Name"] for value in mood["Values"]], ["HAPPY", "SAD"])

    @connected
    async def test_only_unknown_symbols_are_a_short_answer(self):
        for unknown in ("object:Nobody", "directive:tag", "no coordinate at all", "field:Employee.payroll", ""):
            self.assertEqual(await self.ask("get_symbols", coordinates=[unknown]), {"symbols": []})

    @connected
    async def test_an_operation_is_valid_and_takes_its_values_as_variables(self):
        answer = await self.ask("generate_query", prompt="the first 10 employees")
        operation = answer["queries"][0]
        document = graphql.parse(operation["document"])
        self.assertEqual(document.definitions[0].name.value, operation["operationName"])
        self.assertEqual(operation["operationType"], "query")
        self.assertNotIn("10", operation["document"])
        variables = operation["variablesSchema"]
        Draft202012Validator.check_schema(variables)
        self.assertEqual(variables["properties"]["first"]["default"], 20, "the schema's own")
        Draft202012Validator(variables).validate({"first": 10})
        self.assertTrue(answer["guidance"]["nextSteps"])

    @connected
    async def test_a_prompt_that_asks_for_no_data_is_not_valid(self):
        for prompt in ("hello", "", "query { employees { id }"):
            await self.assert_not_valid("generate_query", prompt=prompt)

    @connected
    async def test_invalid_requests_are_answered_with_a_reason(self):
        for limit in (0, 201, -1):
            await self.assert_not_valid("search_schema", query="mood", limit=limit)
        for query in ("", "  \n"):
            await self.assert_not_valid("search_schema", query=query)
        await self.assert_not_valid("search_schema")
        await self.assert_not_valid("search_schema", query="mood", limit="many")
        await self.assert_not_valid("get_symbols", coordinates=[])
        await self.assert_not_valid("get_symbols", coordinates=["object:Employee"] * 1001)


class Handshake(TheContract, unittest.IsolatedAsyncioTestCase):
    """Clients of 2025 and before, which begin with `initialize`."""

    mode = "legacy"


class Stateless(TheContract, unittest.IsolatedAsyncioTestCase):
    """Clients of 2026-07-28, which ask with `server/discover` and keep no session."""

    mode = "auto"

    @connected
    async def test_speaks_the_newest_protocol(self):
        self.assertEqual(self.client.protocol_version, "2026-07-28")


class OverHttp:
    """One server for all tests of a class, at a port of its own."""

    @classmethod
    def setUpClass(cls):
        command = [BINARY, "mcp", "--index", INDEX, "--http", "127.0.0.1:0"]
        environment = {"SEXTANT_LOG": "sextant=info"}
        cls.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        for line in cls.process.stderr:
            if found := re.search(r"url=(\S+)", line):
                cls.url = found[1]
                return
        raise AssertionError("the server ended before it listened")

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.communicate()
        assert cls.process.returncode == 0, "it stops when it is told to"

    def server(self) -> str:
        return self.url


class HandshakeOverHttp(OverHttp, Handshake):
    """As `Handshake`, over streamable HTTP."""


class StatelessOverHttp(OverHttp, Stateless):
    """As `Stateless`, over streamable HTTP."""


class FromASchema(unittest.IsolatedAsyncioTestCase):
    async def test_start_does_not_wait_for_the_index(self):
        with tempfile.TemporaryDirectory() as cache:
            began = time.monotonic()
            async with Client(server("--schema", SAMPLE, "--cache-dir", cache), mode="legacy") as client:
                await client.list_tools()
                self.assertLess(time.monotonic() - began, 3.0, "initialize and tools/list answer at once")
                result = await call(client, "search_schema", {"query": "how an employee feels today"})
                self.assertFalse(result.is_error, text(result))
            self.assertTrue(any(Path(cache).rglob("*")), "the index is kept for the next start")


ENGINE = """\
pub struct RecursiveEngine;

impl RecursiveEngine {
    pub fn run(&self) -> usize {
        1
    }
}

fn main() {
    RecursiveEngine.run();
}
"""


class OverCode(unittest.IsolatedAsyncioTestCase):
    """The tools about code, on a tree that each test writes."""

    async def on_a_tree(self, test, *arguments: str):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "code/src/main.rs")
            source.parent.mkdir(parents=True)
            source.write_text(ENGINE)
            code = ("--code", str(Path(folder, "code")), "--cache-dir", str(Path(folder, "cache")))
            async with Client(server(*code, *arguments), mode="legacy") as self.client:
                await test()

    async def ask(self, tool: str, **arguments):
        """What a call answers, checked against the tool's own output schema."""
        result = await call(self.client, tool, arguments)
        self.assertFalse(result.is_error, text(result))
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        Draft202012Validator(tools[tool].output_schema).validate(result.structured_content)
        return result.structured_content

    async def test_lists_the_tools_of_what_it_was_given(self):
        async def names():
            return {tool.name for tool in (await self.client.list_tools()).tools}

        async def only_code():
            self.assertEqual(await names(), {"search_code", "query_graph"})

        async def both():
            self.assertEqual(
                await names(),
                {"search_schema", "get_symbols", "generate_query", "search_code", "query_graph"},
            )

        await self.on_a_tree(only_code)
        await self.on_a_tree(both, "--index", INDEX)

    async def test_search_code_ranks_lines(self):
        async def test():
            answer = await self.ask("search_code", pattern="RecursiveEngine", limit=2)
            self.assertEqual(answer["hits"][0], {"path": "src/main.rs", "line": 1, "snippet": "pub struct RecursiveEngine;"})
            self.assertTrue(answer["truncated"])
            answer = await self.ask("search_code", pattern=r"^fn \w+\(", is_regex=True, language="rust")
            self.assertEqual([hit["line"] for hit in answer["hits"]], [9])
            self.assertFalse(answer["truncated"])
            result = await call(self.client, "search_code", {"pattern": "fn (", "is_regex": True})
            self.assertTrue(result.is_error)
            self.assertTrue(text(result).startswith(NOT_VALID), text(result))

        await self.on_a_tree(test)

    async def test_query_graph_follows_calls(self):
        async def test():
            deadline = time.monotonic() + PATIENCE
            while True:
                answer = await self.ask("query_graph", target="RecursiveEngine::run", kind="callers")
                if answer["nodes"]:
                    break
                self.assertLess(time.monotonic(), deadline, "the code is never indexed")
                await asyncio.sleep(0.1)
            run, main = answer["nodes"]
            self.assertEqual(run["location"], "src/main.rs:4")
            self.assertEqual(main["location"], "src/main.rs:9")
            self.assertEqual((answer["edges"][0]["from"], answer["edges"][0]["to"]), (main["id"], run["id"]))

        await self.on_a_tree(test)


if __name__ == "__main__":
    unittest.main()
