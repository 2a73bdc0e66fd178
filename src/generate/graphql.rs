//! A prompt that is GraphQL. Its names are a description of the data too, if a
//! poor one: they may be guesses. So it is read as the words that it should have
//! been, and the answer says so.

use graphql_parser::query::{
    Definition, Document, Field, OperationDefinition, Selection, SelectionSet, parse_query,
};

use crate::index::{imperative, split};

/// Fields of one root field beyond which more make no sentence.
const MOST_NAMES: usize = 40;

/// Is it an operation, a fragment, or the beginning of one?
pub fn is_graphql(prompt: &str) -> bool {
    let text = prompt.trim();
    if !text.contains('{') {
        return false;
    }
    let begins = |keyword: &str| {
        text.strip_prefix(keyword).is_some_and(|rest| {
            let rest = rest.trim_start();
            let head = rest.split(['{', '(']).next().unwrap_or_default().trim();
            // An operation has at most a name, a fragment its type condition too.
            head.split_whitespace().count() <= if keyword == "fragment" { 3 } else { 1 }
        })
    };
    text.starts_with('{')
        || ["query", "mutation", "subscription", "fragment"].into_iter().any(begins)
}

/// What a GraphQL prompt asks for, in words: a sentence for each root field. None
/// where it does not parse or selects nothing.
pub fn in_words(prompt: &str) -> Option<String> {
    // The parser refuses what is nested more than 50 deep.
    let document: Document<'_, &str> = parse_query::<&str>(prompt).ok()?;
    let mut sentences: Vec<String> = Vec::new();
    for definition in &document.definitions {
        let Definition::Operation(operation) = definition else {
            continue;
        };
        let (lead, set) = match operation {
            OperationDefinition::SelectionSet(set) => ("Show ", set),
            OperationDefinition::Query(query) => ("Show ", &query.selection_set),
            OperationDefinition::Mutation(mutation) => ("", &mutation.selection_set),
            OperationDefinition::Subscription(subscription) => {
                ("Subscribe to ", &subscription.selection_set)
            }
        };
        let roots = fields(set).filter(|field| !field.name.starts_with("__"));
        sentences.extend(roots.map(|field| format!("{}.", sentence(lead, field))));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence<'d>(lead: &str, root: &Field<'d, &'d str>) -> String {
    let name = split(root.name);
    let mut words = if lead.is_empty() { as_imperative(&name) } else { format!("{lead}{name}") };
    let arguments: Vec<String> = root.arguments.iter().map(|(name, _)| split(name)).collect();
    if !arguments.is_empty() {
        words = format!("{words} by {}", arguments.join(" and "));
    }
    let mut names: Vec<String> = Vec::new();
    let mut open: Vec<&Field<'d, &'d str>> = fields(&root.selection_set).collect();
    open.reverse();
    while let Some(field) = open.pop().filter(|_| names.len() < MOST_NAMES) {
        if !["nodes", "edges", "node"].contains(&field.name) && !field.name.starts_with("__") {
            names.push(split(field.name));
        }
        let mut below: Vec<_> = fields(&field.selection_set).collect();
        below.reverse();
        open.extend(below);
    }
    if names.is_empty() { words } else { format!("{words} with {}", names.join(", ")) }
}

/// "delete branch" of `deleteBranch`, and of `branchDelete` too.
fn as_imperative(name: &str) -> String {
    match name.rsplit_once(' ') {
        Some((noun, verb))
            if imperative(&format!("{verb} it")) > imperative(&format!("{name} it")) =>
        {
            format!("{verb} {noun}")
        }
        _ => name.to_owned(),
    }
}

/// The fields of a selection set, those in inline fragments too.
fn fields<'a, 'd>(
    set: &'a SelectionSet<'d, &'d str>,
) -> Box<dyn Iterator<Item = &'a Field<'d, &'d str>> + 'a> {
    Box::new(set.items.iter().flat_map(|item| match item {
        Selection::Field(field) => Box::new(std::iter::once(field)),
        Selection::InlineFragment(fragment) => fields(&fragment.selection_set),
        Selection::FragmentSpread(_) => Box::new(std::iter::empty()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_told_from_a_description() {
        for text in ["{ me { id } }", "query { me }", "query Me($a: Int) { me }", "mutation M {"] {
            assert!(is_graphql(text), "{text}");
        }
        for text in ["query the employees", "employees {with ids}", "mutation of a gene {brca1}"] {
            assert!(!is_graphql(text), "{text}");
        }
    }

    #[test]
    fn a_document_reads_as_what_it_asks_for() {
        for (document, words) in [
            (
                "query { employees(first: 3) { id currentMood ... on Manager { team { name } } } }",
                Some("Show employees by first with id, current mood, team, name."),
            ),
            (
                "mutation M($id: ID!) { branchDelete(id: $id) { ok } }",
                Some("delete branch by id with ok."),
            ),
            ("subscription { orderPaid { total } }", Some("Subscribe to order paid with total.")),
            ("{ a { edges { node { b } } } c }", Some("Show a with b. Show c.")),
            ("query {", None),
            ("fragment F on User { id }", None),
        ] {
            assert_eq!(in_words(document).as_deref(), words, "{document}");
        }
        assert_eq!(in_words(&format!("{}a{}", "{a".repeat(200), "}".repeat(200))), None);
    }
}
