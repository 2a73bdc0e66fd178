"""What the making of training pairs must never get wrong: `python -m unittest discover scripts/train`."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from random import Random

import pairs
import phrases
import schema as schemas
import sources
import texts

SDL = '''
type Query { employee(id: ID!): Employee employees(team: String): EmployeeConnection! }
"Somebody who works here."
type Employee {
  "The name that is shown to others."
  name: String!
  "How the employee feels today."
  currentMood: Mood
  manager: Employee
}
type EmployeeConnection { nodes: [Employee!] }
enum Mood { HAPPY SAD }
'''


class TextsTest(unittest.TestCase):
    def test_identifiers_split_as_in_the_program(self):
        # The cases of src/index/words.rs.
        for identifier, words in [
            ("currentMood", "current mood"),
            ("HTTPServerURL_v2", "http server url v2"),
            ("OAuth2App", "o auth2 app"),
            ("SOME_ENUM_VALUE", "some enum value"),
            ("employees_aggregate", "employees aggregate"),
            ("id", "id"),
        ]:
            self.assertEqual(texts.split(identifier), words)

    def test_texts_are_those_of_the_program(self):
        employee = employee_schema()
        said = {field.coordinate: texts.field_text(field) for field in employee.fields}
        self.assertEqual(said["Employee.name"], "employee name. The name that is shown to others.")
        self.assertEqual(said["Employee.currentMood"], "employee current mood: mood. How the employee feels today.")
        self.assertEqual(said["Employee.manager"], "employee manager: employee.")
        mood = employee.types[employee.type_index["Mood"]]
        self.assertEqual(texts.type_text(mood), "mood.  happy sad")


class SchemaTest(unittest.TestCase):
    def test_a_connection_leads_to_what_it_holds(self):
        employee = employee_schema()
        leading = [employee.fields[index].coordinate for index in employee.reaching["Employee"]]
        self.assertIn("Query.employees", leading)
        self.assertEqual(employee.entities, ["Employee"])


class SourcesTest(unittest.TestCase):
    def test_only_stated_permissive_licences_and_no_evaluation_schema(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            manifest = ["name\tsource\tlicence"]
            for name, licence in [
                ("ours", "MIT"),
                ("stated", "MIT (package.json)"),
                ("copyleft", "GPL-3.0 or commercial"),
                ("conditional", "MIT (package); schema text is the vendor's"),
                ("unknown", ""),
                ("aiwg-github", "MIT"),
                ("some-supergraph", "MIT"),
            ]:
                (folder / f"{name}.graphql").write_text(SDL)
                manifest.append(f"{name}\there\t{licence}")
            (folder / "MANIFEST.tsv").write_text("\n".join(manifest))
            used, refused = sources.choose([folder])
        self.assertEqual([source.name for source in used], ["ours", "stated"])
        self.assertEqual(len(refused), 5)


class PairsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_batches(self):
        self.assertEqual(made(seed=1), made(seed=1))
        self.assertNotEqual(made(seed=1), made(seed=2))

    def test_an_answer_is_fair(self):
        for batch in made(seed=1):
            self.assertEqual(len(batch), sum(pairs.SHARES))
            for row in batch:
                self.assertIn(row["answer_element"], row["fair"])
                self.assertTrue(row["question"])

    def test_names_alone_come_as_often_as_asked(self):
        *others, names = made(seed=1)
        self.assertTrue(all("." not in row["answer"] for row in names))
        self.assertTrue(all(any("." in row["answer"] for row in batch) for batch in others))


def employee_schema() -> schemas.Schema:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "employee.graphql"
        path.write_text(SDL)
        return schemas.read("employee", path)


def made(seed: int) -> list[list[dict]]:
    wording = phrases.Wording(Random(seed), {"name": ["title"]}, {})
    return list(pairs.batches([employee_schema()], wording, pairs.RECIPES["names"], 4))


if __name__ == "__main__":
    unittest.main()
