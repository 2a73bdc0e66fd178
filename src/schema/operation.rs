//! The skeleton operation of a route: valid GraphQL that selects `__typename`
//! where the route ends.

use std::collections::HashSet;

use super::{
    model::{Schema, TypeDef},
    route::Route,
};

/// Prints the operation on one line, with a variable for every required
/// argument, for example
/// `query EmployeeDetails($id: Int!) { employee(id: $id) { details { __typename } } }`.
pub(super) fn skeleton(schema: &Schema, route: &Route<'_>) -> String {
    let mut name = String::new();
    let mut declared = Vec::new();
    let mut selection = String::new();
    let mut variables = HashSet::new();
    let mut open = 1;
    for hop in &route.hops {
        name.push_str(&capitalised(&hop.field.name));
        selection.push_str(&hop.field.name);
        let mut passed = Vec::new();
        for arg in hop.field.args.iter().filter(|arg| arg.is_required()) {
            let variable = unused(&variables, &hop.field.name, &arg.name);
            passed.push(format!("{}: ${variable}", arg.name));
            declared.push(format!("${variable}: {}", arg.type_ref.as_str()));
            variables.insert(variable);
        }
        if !passed.is_empty() {
            selection.push_str(&["(", &passed.join(", "), ")"].concat());
        }
        selection.push_str(" { ");
        open += 1;
        if let Some(member) = hop.on {
            name.push_str(&capitalised(&member.name));
            selection.push_str(&["... on ", &member.name, " { "].concat());
            open += 1;
        }
    }
    let declared =
        if declared.is_empty() { String::new() } else { format!("({})", declared.join(", ")) };
    format!(
        "{} {name}{declared} {{ {selection}__typename{}",
        keyword(schema, route.root),
        " }".repeat(open)
    )
}

fn keyword(schema: &Schema, root: &TypeDef) -> &'static str {
    let is = |name: &Option<String>| name.as_ref() == Some(&root.name);
    if is(&schema.roots.query) {
        "query"
    } else if is(&schema.roots.mutation) {
        "mutation"
    } else {
        "subscription"
    }
}

/// A variable's name: the argument's, else with the field's before it, else with
/// a number behind it.
fn unused(variables: &HashSet<String>, field: &str, arg: &str) -> String {
    if !variables.contains(arg) {
        return arg.to_owned();
    }
    let qualified = format!("{field}{}", capitalised(arg));
    if !variables.contains(&qualified) {
        return qualified;
    }
    // One of more numbers than there are variables is unused.
    let numbered = (2..=variables.len() + 2).map(|number| format!("{qualified}{number}"));
    numbered.into_iter().find(|name| !variables.contains(name)).unwrap_or(qualified)
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{parse_sdl, route::routes};

    #[test]
    fn variables_are_unique_and_members_are_fragments() {
        let schema = parse_sdl(
            "type Query { node(id: ID!, first: Int! = 1): Node } interface Node { id: ID! }
             type Issue implements Node { id: ID! node(id: ID!, by: [In!]!): Author } type Author { node(id: ID!): End }
             type End { a: Int } input In { a: Int } type Subscription { issue: Issue }",
        )
        .unwrap();
        let routes = routes(&schema);
        let skeletons: Vec<_> =
            routes.iter().flatten().map(|route| skeleton(&schema, route)).collect();
        assert!(skeletons.contains(
            &"query NodeIssueNodeNode($id: ID!, $nodeId: ID!, $by: [In!]!, $nodeId2: ID!) { node(id: $id) { ... on Issue \
              { node(id: $nodeId, by: $by) { node(id: $nodeId2) { __typename } } } } }".to_owned()
        ), "{skeletons:#?}");
        assert!(
            skeletons.contains(&"subscription Issue { issue { __typename } }".to_owned()),
            "{skeletons:#?}"
        );
    }
}
