//! The functions that resolve a field, by each server's conventions.

use super::Tree;

/// Asserts that the field `Employee.currentMood` leads to this definition.
fn resolves(files: &[(&str, &str)], id: &str) {
    let tree = Tree::of(files);
    assert_eq!(tree.defines("field:Employee.currentMood"), [id]);
}

#[test]
fn a_resolver_map() {
    resolves(
        &[(
            "r.js",
            "const resolvers = { Employee: { currentMood: (parent) => 1, other() {} }, Query: { employee() {} } };",
        )],
        "r.js#resolvers.Employee.currentMood",
    );
    resolves(
        &[("r.ts", "export const Employee = { currentMood(parent: X) { return 1 } };")],
        "r.ts#Employee.currentMood",
    );
}

#[test]
fn a_resolver_map_that_names_a_function_elsewhere() {
    resolves(
        &[
            (
                "map.ts",
                "import { findMood } from './mood'; export default { Employee: { currentMood: findMood } };",
            ),
            ("mood.ts", "export function findMood() {}"),
        ],
        "mood.ts#findMood",
    );
}

#[test]
fn gqlgen() {
    resolves(
        &[(
            "schema.resolvers.go",
            "package graph\nfunc (r *employeeResolver) CurrentMood(ctx context.Context, obj *Employee) (Mood, error) { return 1, nil }",
        )],
        "schema.resolvers.go#employeeResolver.CurrentMood",
    );
}

#[test]
fn async_graphql_and_juniper() {
    for attribute in ["#[Object]", "#[ComplexObject]", "#[juniper::graphql_object(context = C)]"] {
        resolves(
            &[(
                "src/lib.rs",
                &format!(
                    "struct Employee;\nimpl Employee {{ fn current_moody(&self) {{}} }}\n{attribute}\nimpl Employee {{ async fn current_mood(&self) -> Mood {{ 1 }} }}"
                ),
            )],
            "src/lib.rs#Employee.current_mood",
        );
    }
}

#[test]
fn nest_and_type_graphql() {
    resolves(
        &[(
            "e.ts",
            "@Resolver(() => Employee)\nexport class Moods {\n  @ResolveField('currentMood', () => Mood)\n  mood() {}\n  @Query(() => Employee)\n  employee() {}\n}",
        )],
        "e.ts#Moods.mood",
    );
    resolves(
        &[(
            "e.ts",
            "@Resolver(of => Employee)\nclass Moods {\n  @FieldResolver()\n  currentMood() {}\n}",
        )],
        "e.ts#Moods.currentMood",
    );
    let tree = Tree::of(&[(
        "e.ts",
        "@Resolver()\nclass Moods {\n  @Query(() => [Employee])\n  async employees() {}\n}",
    )]);
    assert_eq!(tree.defines("field:Query.employees"), ["e.ts#Moods.employees"]);
}

#[test]
fn strawberry_graphene_and_ariadne() {
    resolves(
        &[(
            "s.py",
            "@strawberry.type\nclass Employee:\n    @strawberry.field\n    def current_mood(self) -> Mood:\n        pass\n",
        )],
        "s.py#Employee.current_mood",
    );
    resolves(
        &[(
            "g.py",
            "class EmployeeType(graphene.ObjectType):\n    def resolve_current_mood(root, info):\n        pass\n",
        )],
        "g.py#EmployeeType.resolve_current_mood",
    );
    resolves(
        &[(
            "a.py",
            "worker = ObjectType(\"Employee\")\n\n@worker.field(\"currentMood\")\ndef mood_of(obj, info):\n    pass\n",
        )],
        "a.py#mood_of",
    );
}

#[test]
fn graphql_ruby() {
    resolves(
        &[(
            "e.rb",
            "module Types\n  class EmployeeType < Types::BaseObject\n    field :current_mood, Mood\n    def current_mood\n    end\n  end\nend\n",
        )],
        "e.rb#Types.EmployeeType.current_mood",
    );
}

#[test]
fn hot_chocolate() {
    resolves(
        &[(
            "E.cs",
            "[ExtendObjectType(typeof(Employee))]\npublic class EmployeeNodes {\n    public async Task<Mood> GetCurrentMoodAsync([Parent] Employee e) { return null; }\n}",
        )],
        "E.cs#EmployeeNodes.GetCurrentMoodAsync",
    );
}

#[test]
fn spring_and_dgs() {
    resolves(
        &[(
            "E.java",
            "class Moods {\n    @SchemaMapping(typeName = \"Employee\")\n    Mood currentMood(Employee e) { return null; }\n}",
        )],
        "E.java#Moods.currentMood",
    );
    resolves(
        &[(
            "E.kt",
            "class Moods {\n    @DgsData(parentType = \"Employee\", field = \"currentMood\")\n    fun mood(): Mood? = null\n}",
        )],
        "E.kt#Moods.mood",
    );
}

#[test]
fn a_member_of_the_types_own_name() {
    resolves(
        &[("e.py", "class Employee:\n    def current_mood(self):\n        pass\n")],
        "e.py#Employee.current_mood",
    );
}

#[test]
fn a_type_and_what_is_not_there() {
    let tree = Tree::of(&[("e.py", "class EmployeeType:\n    pass\n")]);
    assert_eq!(tree.defines("object:Employee"), ["e.py#EmployeeType"]);
    assert!(tree.error("object:Boss").contains("No type in the code stands for `object:Boss`"));
    assert!(tree.error("field:Boss.name").contains("No function was found that resolves"));
    assert!(tree.error("field:Boss").contains("No function was found that resolves"));
}
