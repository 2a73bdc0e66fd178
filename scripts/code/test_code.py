"""Tests of the questions and of the scoring, on a tree of a few definitions.

    python3 -m unittest discover -s scripts/code -p 'test_*.py'
"""

import unittest

import rows
import score


def definition(identity, name, line, kind="function", parent=None, qualified=None):
    """A definition in `a.py`, three lines long."""
    return {
        "id": identity, "group": identity, "kind": kind, "name": name, "qualified": qualified or name, "path": "a.py",
        "line": line, "from": line - 1, "to": line + 1, "parent": parent, "body": True,
    }


def site(line, name, to, within, role="call", **more):
    """A place in `a.py` that names something."""
    return {"path": "a.py", "line": line, "name": name, "to": to, "within": within, "role": role, **more}


TABLE = {
    "language": "python",
    "package": "p",
    "definitions": [
        definition(0, "run", 10),
        definition(1, "Engine", 20, "class"),
        definition(2, "__init__", 22, "constructor", 1, "Engine.__init__"),
        definition(3, "step", 30, "method", 1, "Engine.step"),
        definition(4, "Fast", 40, "class"),
        definition(5, "step", 42, "method", 4, "Fast.step"),
    ],
    "sites": [
        site(11, "Engine", [1], 0),
        site(12, "step", [3], 0),
        site(31, "run", [0], 3),
        site(43, "run", [0], 5, "mention"),
        site(50, "run", [0], None),
        site(51, "run", [], 3, unknown=True),
        site(1, "run", [0], None, "import"),
    ],
    "overrides": [[5, 3]],
}


def names(row, which="answers"):
    """The names in an answer list."""
    return sorted(item["name"] for item in row[which])


class Questions(unittest.TestCase):
    """What counts as an answer."""

    def setUp(self):
        self.package = rows.Package(TABLE)

    def test_callers_are_the_functions_around_calls(self):
        row = rows.callers(self.package, 0)
        self.assertEqual(names(row), ["Engine.step"])
        self.assertIn("Fast.step", names(row, "optional"))

    def test_a_construction_is_a_call_of_the_class_or_its_constructor(self):
        self.assertEqual(names(rows.callers(self.package, 1)), ["run"])
        places = rows.callees(self.package, 0)["answers"][0]["places"]
        self.assertEqual([place["line"] for place in places], [20, 22])

    def test_an_override_may_be_called(self):
        row = rows.callees(self.package, 0)
        self.assertEqual(names(row), ["Engine", "Engine.step"])
        self.assertEqual(names(row, "optional"), ["Fast.step"])
        self.assertEqual(names(rows.callers(self.package, 5), "optional"), ["run"])

    def test_references_are_lines_and_imports_count(self):
        row = rows.references(self.package, 0)
        self.assertEqual(sorted(item["places"][0]["line"] for item in row["answers"]), [1, 31, 43, 50])
        self.assertEqual([item["places"][0]["line"] for item in row["optional"]], [51, 10])

    def test_a_name_defines_what_is_called_so(self):
        self.assertEqual(names(rows.defines(self.package, "Engine.step")), ["Engine.step"])
        self.assertEqual(names(rows.defines(self.package, "step"), "optional"), ["Engine.step", "Fast.step"])


class Scoring(unittest.TestCase):
    """How an engine's graph is judged."""

    def judge(self, locations):
        """The counts for a graph whose callers of `run` stand at these places."""
        row = {"kind": "callers", "self": [{"path": "a.py", "from": 9, "line": 10}]} | rows.callers(rows.Package(TABLE), 0)
        nodes = [{"id": "t", "name": "run", "kind": "function", "location": "a.py:10"}]
        nodes += [{"id": place, "name": place, "kind": "function", "location": place} for place in locations]
        edges = [{"from": place, "to": "t", "kind": "calls", "location": place} for place in locations]
        found = score.predictions({"nodes": nodes, "edges": edges}, row, "edge")
        right, wrong, missed, aside = score.judge(row, found, "edge")
        return [len(right), len(wrong), len(missed), aside]

    def test_right_wrong_and_missed(self):
        self.assertEqual(self.judge(["a.py:30"]), [1, 0, 0, 0])
        self.assertEqual(self.judge(["a.py:22"]), [0, 1, 1, 0])

    def test_a_decorator_line_shows_the_definition(self):
        self.assertEqual(self.judge(["a.py:29"]), [1, 0, 0, 0])

    def test_what_is_optional_is_not_counted(self):
        self.assertEqual(self.judge(["a.py:30", "a.py:42"]), [1, 0, 0, 1])


if __name__ == "__main__":
    unittest.main()
