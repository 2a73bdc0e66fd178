//! What is a Relay connection, decided from structure.

use std::collections::HashSet;

use super::model::{Schema, TypeDef, TypeKind};

/// The names of the types that are connections: objects and interfaces with
/// `pageInfo` and with `edges` or `nodes`, whatever they are called.
///
/// After the [GraphQL Cursor Connections Specification][spec], which asks for
/// `edges`; GitHub and Shopify add `nodes`, and some servers have only those.
///
/// [spec]: https://relay.dev/graphql/connections.htm#sec-Connection-Types
pub(super) fn connections(schema: &Schema) -> HashSet<&str> {
    schema.types().iter().filter(|ty| is_connection(ty)).map(|ty| ty.name.as_str()).collect()
}

fn is_connection(ty: &TypeDef) -> bool {
    let has = |name: &str| ty.fields.iter().any(|field| field.name == name);
    matches!(ty.kind, TypeKind::Object | TypeKind::Interface)
        && has("pageInfo")
        && (has("edges") || has("nodes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::parse_sdl;

    #[test]
    fn structure_decides_and_not_the_name() {
        let schema = parse_sdl(
            "type Query { a: UserConnection b: Page c: Listed }
             type UserConnection { total: Int }
             type Page { pageInfo: PageInfo! nodes: [Int] }
             interface Listed { pageInfo: PageInfo! edges: [Int] }
             type PageInfo { hasNextPage: Boolean! }
             input NoConnection { pageInfo: Int edges: Int }",
        )
        .unwrap();
        assert_eq!(connections(&schema), HashSet::from(["Page", "Listed"]));
    }
}
