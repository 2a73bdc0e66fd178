//! How far from a root each type is.

use std::collections::{HashMap, VecDeque};

use super::model::{Schema, TypeDef};

/// The least number of fields between a root and each type that a root leads to,
/// by type name. A field leads to the types of its arguments as well as to the
/// one that it returns; a union or interface and its members are equally far.
pub(super) fn depths(schema: &Schema) -> HashMap<&str, u32> {
    let implementers = implementers(schema);
    let mut depths: HashMap<&str, u32> = HashMap::new();
    // A step to a member costs nothing, so it goes to the front of the queue.
    let mut queue: VecDeque<(&TypeDef, u32)> = schema.root_types().map(|root| (root, 0)).collect();
    while let Some((ty, depth)) = queue.pop_front() {
        if depths.contains_key(ty.name.as_str()) {
            continue;
        }
        depths.insert(&ty.name, depth);
        let members = implementers.get(ty.name.as_str()).into_iter().flatten().copied();
        for member in members.chain(ty.members.iter().map(String::as_str)) {
            if let Some(member) = unseen(schema, &depths, member) {
                queue.push_front((member, depth));
            }
        }
        let args = ty.fields.iter().flat_map(|field| &field.args);
        let outputs = ty.fields.iter().map(|field| &field.type_ref);
        let inputs = args.chain(&ty.input_fields).map(|input| &input.type_ref);
        for type_ref in outputs.chain(inputs) {
            if let Some(next) = unseen(schema, &depths, type_ref.named()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    depths
}

fn unseen<'a>(schema: &'a Schema, depths: &HashMap<&str, u32>, name: &str) -> Option<&'a TypeDef> {
    if depths.contains_key(name) { None } else { schema.get(name) }
}

/// The types that implement each interface, by the interface's name, in the
/// order of their own names.
pub(super) fn implementers(schema: &Schema) -> HashMap<&str, Vec<&str>> {
    let mut implementers: HashMap<&str, Vec<&str>> = HashMap::new();
    for ty in schema.types() {
        for interface in &ty.interfaces {
            implementers.entry(interface).or_default().push(&ty.name);
        }
    }
    implementers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    #[test]
    fn depth_counts_fields_from_the_nearest_root() {
        let schema = parse_sdl(
            "type Query { a(by: In): A } type Mutation { c: C }
             type A { b: U } union U = B | C type B { d: D } type C { a: A } type D { a: Int }
             input In { self: In nested: Deeper } input Deeper { e: E } enum E { X } type Lost { a: Int }",
        )
        .unwrap();
        let depths = depths(&schema);
        let expected = [
            ("Query", 0),
            ("Mutation", 0),
            ("A", 1),
            ("In", 1),
            ("C", 1),
            ("U", 2),
            ("B", 2),
            ("Deeper", 2),
            ("D", 3),
            ("E", 3),
        ];
        assert_eq!(depths, HashMap::from(expected));
    }
}
