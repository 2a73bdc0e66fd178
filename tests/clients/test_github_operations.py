"""What prompts become on GitHub's schema, a case for each thing that a schema can have.

GitHub's schema is the one of the npm package @octokit/graphql-schema (MIT), which
scripts/clients installs; scripts/test makes the index. graphql-core judges every
operation. By hand:
    target/clients/venv/bin/python tests/clients/test_github_operations.py [-v]
"""

import asyncio
import json
import unittest

import graphql
from jsonschema import Draft202012Validator
from mcp import Client
from test_python_sdk import ROOT, call, server, text

INDEX = str(ROOT / "target/clients/indexes/github.sqlite")
SDL = ROOT / "target/clients/node_modules/@octokit/graphql-schema/schema.graphql"

# A prompt, the kind of operation and its root field, what of the document matters, and what of
# the prompt must not be in it. GitHub has no subscriptions.
CASES = {
    "a mutation with an input object": (
        "Create an issue in a repository with a title, a body and labels",
        "mutation", "createIssue", ["($input: CreateIssueInput!", "createIssue(input: $input)", "title"], []),
    "a key": (
        "the description of repository octo/hello",
        "query", "repository", ["repository(name: $name, owner: $owner)", "description"], ["octo", "hello"]),
    "the caller": (
        "my login and email",
        "query", "viewer", ["viewer {", "login", "email"], []),
    "a union": (
        'Search for users named "Ada"',
        "query", "search", ["query: $query", "__typename", "... on User {", "name"], ["Ada"]),
    "an interface that is returned": (
        "Add a star to repository octo/hello",
        "mutation", "addStar", ["addStar(input: $input)", "starrable {", "__typename"], ["octo", "hello"]),
    "a connection, page by page": (
        "releases of a repository, a page at a time",
        "query", "repository", ["after: $after", "first: $first", "releases(", "nodes {", "tagName"], []),
    "an enum as a filter": (
        "pull requests of a repository whose state is MERGED",
        "query", "repository", ["pullRequests(", "states: $", "[PullRequestState!]"], ["MERGED"]),
    "an order": (
        "Show the first 25 issues of a repository, newest first, with title and author",
        "query", "repository", ["$orderBy: IssueOrder", "orderBy: $orderBy", "title", "author {"], ["25"]),
    "a range of dates": (
        "issues of a repository updated since 2026-01-01 until 2026-02-01",
        "query", "repository", ["issues(", "filterBy: $filterBy"], ["2026"]),
}


PARTLY = "repositories of the signed-in user with their star counts and horoscopes"
ELSEWHERE = "horoscopes and constellations"


async def ask(prompts: list[str]) -> dict[str, dict]:
    """The answer to each prompt, all from one server."""
    async with Client(server("--index", INDEX), mode="legacy") as client:
        return {prompt: json.loads(text(await call(client, "generate_query", {"prompt": prompt})))
                for prompt in prompts}


class OnGitHub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # GitHub's own schema defines two fields twice, which graphql-core would refuse.
        cls.schema = graphql.build_ast_schema(
            graphql.parse(SDL.read_text(encoding="utf-8")), assume_valid=True, assume_valid_sdl=True)
        cls.answers = asyncio.run(ask([prompt for prompt, *_ in CASES.values()] + [PARTLY, ELSEWHERE]))

    def check(self, query: dict):
        document = graphql.parse(query["document"])
        self.assertEqual(graphql.validate(self.schema, document), [], query["document"])
        Draft202012Validator.check_schema(query["variablesSchema"])

    def test_each_thing_that_a_schema_can_have_is_asked_for_in_words(self):
        for thing, (prompt, kind, root, parts, values) in CASES.items():
            with self.subTest(thing):
                answer = self.answers[prompt]
                for query in answer["queries"]:
                    self.check(query)
                    for value in values:
                        self.assertNotIn(value, query["document"])
                query = answer["queries"][0]
                operation = graphql.parse(query["document"]).definitions[0]
                self.assertEqual(query["operationType"], kind)
                self.assertEqual(operation.selection_set.selections[0].name.value, root, query["document"])
                for part in parts:
                    self.assertIn(part, query["document"])
                self.assertNotIn("unsatisfied", answer)

    def test_a_part_that_the_schema_lacks_is_named_and_the_rest_answered(self):
        answer = self.answers[PARTLY]
        self.check(answer["queries"][0])
        self.assertIn("repositories(", answer["queries"][0]["document"])
        self.assertEqual(len(answer["unsatisfied"]), 1)
        self.assertIn('"horoscopes"', answer["unsatisfied"][0])

    def test_a_prompt_about_something_else_gets_the_reason_and_no_operation(self):
        answer = self.answers[ELSEWHERE]
        self.assertEqual(answer["queries"], [])
        self.assertTrue(answer["unsatisfied"][0].startswith("The schema has nothing"), answer)
        self.assertNotIn("guidance", answer)


if __name__ == "__main__":
    unittest.main()
