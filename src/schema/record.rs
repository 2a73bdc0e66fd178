//! A schema's elements, each with its record.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    connection::connections,
    depth::{depths, implementers},
    element::{Element, Kind},
    model::{AppliedDirective, EnumValue, FieldDef, InputValue, Schema, TypeDef},
    operation,
    route::{Hop, Route, routes},
};

/// Everything that can be found in a schema: types by name, each followed by its
/// members in their own order, then the paths by the type that they lead to,
/// shortest first. The same schema always gives the same elements.
#[must_use]
pub fn elements(schema: &Schema) -> Vec<Element> {
    let context = Context {
        schema,
        connections: connections(schema),
        implementers: implementers(schema),
        depths: depths(schema),
    };
    let mut elements = Vec::new();
    for ty in schema.types() {
        let owner = coordinate(ty);
        elements.push(context.type_element(ty, &owner));
        elements.extend(ty.fields.iter().map(|field| context.field_element(ty, &owner, field)));
        elements.extend(
            ty.input_fields.iter().map(|field| context.input_field_element(ty, &owner, field)),
        );
    }
    let routes = routes(schema);
    elements.extend(routes.iter().flatten().filter_map(|route| context.path_element(route)));
    elements
}

/// What of the whole schema an element's record needs.
struct Context<'a> {
    schema: &'a Schema,
    connections: HashSet<&'a str>,
    implementers: HashMap<&'a str, Vec<&'a str>>,
    depths: HashMap<&'a str, u32>,
}

impl Context<'_> {
    fn type_element(&self, ty: &TypeDef, coordinate: &str) -> Element {
        let kind = Kind::from(ty.kind);
        let members = ty.fields.iter().map(|field| (&field.name, &field.type_ref));
        let members =
            members.chain(ty.input_fields.iter().map(|field| (&field.name, &field.type_ref)));
        let members = members.map(|(name, type_ref)| {
            Record::default()
                .text("Name", Some(name))
                .text("TypeRef", Some(type_ref.as_str()))
                .value()
        });
        let record = Record::new(coordinate, kind, &ty.name)
            .text("Description", ty.description.as_deref())
            .list("Fields", members)
            .list("Values", ty.values.iter().map(enum_value))
            .list("PossibleTypes", ty.members.iter().map(|name| Value::from(name.as_str())))
            .list("Interfaces", ty.interfaces.iter().map(|name| Value::from(name.as_str())))
            .list(
                "ImplementedBy",
                self.implementers
                    .get(ty.name.as_str())
                    .into_iter()
                    .flatten()
                    .map(|name| Value::from(*name)),
            )
            .flag("OneOf", ty.one_of)
            .text("SpecifiedByURL", ty.specified_by.as_deref())
            .list("Directives", ty.directives.iter().map(directive));
        Element {
            coordinate: coordinate.to_owned(),
            kind,
            name: ty.name.clone(),
            parent: None,
            type_ref: None,
            description: ty.description.clone(),
            deprecation_reason: None,
            paginated: false,
            depth: self.depths.get(ty.name.as_str()).copied(),
            record: record.value(),
        }
    }

    fn field_element(&self, ty: &TypeDef, owner: &str, field: &FieldDef) -> Element {
        let coordinate = field_coordinate(ty, field);
        let paginated = self.is_paginated(field);
        let record = Record::new(&coordinate, Kind::Field, &field.name)
            .text("Description", field.description.as_deref())
            .text("Parent", Some(owner))
            .text("TypeRef", Some(field.type_ref.as_str()))
            .list("Args", field.args.iter().map(argument))
            .flag("Paginated", paginated)
            .text("DeprecationReason", field.deprecation_reason.as_deref())
            .list("Directives", field.directives.iter().map(directive));
        Element {
            coordinate,
            kind: Kind::Field,
            name: field.name.clone(),
            parent: Some(owner.to_owned()),
            type_ref: Some(field.type_ref.as_str().to_owned()),
            description: field.description.clone(),
            deprecation_reason: field.deprecation_reason.clone(),
            paginated,
            depth: self.depths.get(ty.name.as_str()).copied(),
            record: record.value(),
        }
    }

    fn input_field_element(&self, ty: &TypeDef, owner: &str, field: &InputValue) -> Element {
        let coordinate = format!("{}:{}.{}", Kind::InputField, ty.name, field.name);
        let record = Record::new(&coordinate, Kind::InputField, &field.name)
            .text("Description", field.description.as_deref())
            .text("Parent", Some(owner))
            .text("TypeRef", Some(field.type_ref.as_str()))
            .text("Default", field.default.as_deref())
            .text("DeprecationReason", field.deprecation_reason.as_deref())
            .list("Directives", field.directives.iter().map(directive));
        Element {
            coordinate,
            kind: Kind::InputField,
            name: field.name.clone(),
            parent: Some(owner.to_owned()),
            type_ref: Some(field.type_ref.as_str().to_owned()),
            description: field.description.clone(),
            deprecation_reason: field.deprecation_reason.clone(),
            paginated: false,
            depth: self.depths.get(ty.name.as_str()).copied(),
            record: record.value(),
        }
    }

    /// The element of a route; none for one without hops, which there is not.
    fn path_element(&self, route: &Route<'_>) -> Option<Element> {
        let last = route.hops.last()?;
        let coordinate = route.coordinate();
        let parent = coordinate_of_root(route);
        let type_ref = route.type_ref()?.as_str().to_owned();
        let paginated = last.on.is_none() && self.is_paginated(last.field);
        // A route is as good as the worst of its fields.
        let deprecation_reason =
            route.hops.iter().find_map(|hop| hop.field.deprecation_reason.clone());
        let record = Record::new(&coordinate, Kind::Path, &last.field.name)
            .text("Parent", Some(&parent))
            .text("TypeRef", Some(&type_ref))
            .flag("Paginated", paginated)
            .text("DeprecationReason", deprecation_reason.as_deref())
            .list("Hops", route.hops.iter().map(hop))
            .text("Operation", Some(&operation::skeleton(self.schema, route)));
        Some(Element {
            coordinate,
            kind: Kind::Path,
            name: last.field.name.clone(),
            parent: Some(parent),
            type_ref: Some(type_ref),
            description: None,
            deprecation_reason,
            paginated,
            depth: u32::try_from(route.hops.len()).ok(),
            record: record.value(),
        })
    }

    fn is_paginated(&self, field: &FieldDef) -> bool {
        self.connections.contains(field.type_ref.named())
    }
}

fn coordinate(ty: &TypeDef) -> String {
    format!("{}:{}", Kind::from(ty.kind), ty.name)
}

fn field_coordinate(owner: &TypeDef, field: &FieldDef) -> String {
    format!("{}:{}.{}", Kind::Field, owner.name, field.name)
}

fn coordinate_of_root(route: &Route<'_>) -> String {
    coordinate(route.root)
}

fn argument(arg: &InputValue) -> Value {
    Record::default()
        .text("Name", Some(&arg.name))
        .text("TypeRef", Some(arg.type_ref.as_str()))
        .text("Default", arg.default.as_deref())
        .text("Description", arg.description.as_deref())
        .text("DeprecationReason", arg.deprecation_reason.as_deref())
        .value()
}

fn enum_value(value: &EnumValue) -> Value {
    Record::default()
        .text("Name", Some(&value.name))
        .text("Description", value.description.as_deref())
        .text("DeprecationReason", value.deprecation_reason.as_deref())
        .value()
}

fn directive(directive: &AppliedDirective) -> Value {
    Record::default().text("Name", Some(&directive.name)).object("Args", &directive.args).value()
}

fn hop(hop: &Hop<'_>) -> Value {
    let arg = |arg: &InputValue| {
        Record::default()
            .text("Name", Some(&arg.name))
            .text("TypeRef", Some(arg.type_ref.as_str()))
            .flag("Required", arg.is_required())
            .text("Default", arg.default.as_deref())
            .value()
    };
    Record::default()
        .text("Coordinate", Some(&field_coordinate(hop.owner, hop.field)))
        .text("TypeRef", Some(hop.field.type_ref.as_str()))
        .text("On", hop.on.map(|member| member.name.as_str()))
        .list("Args", hop.field.args.iter().map(arg))
        .value()
}

/// A JSON object under construction, in which a key is absent where it would be
/// empty.
#[derive(Default)]
struct Record(Map<String, Value>);

impl Record {
    fn new(coordinate: &str, kind: Kind, name: &str) -> Self {
        Self::default()
            .text("Coordinate", Some(coordinate))
            .text("Kind", Some(kind.as_str()))
            .text("Name", Some(name))
    }

    fn text(mut self, key: &str, text: Option<&str>) -> Self {
        if let Some(text) = text {
            self.0.insert(key.to_owned(), Value::from(text));
        }
        self
    }

    fn list(mut self, key: &str, items: impl Iterator<Item = Value>) -> Self {
        let items: Vec<Value> = items.collect();
        if !items.is_empty() {
            self.0.insert(key.to_owned(), Value::from(items));
        }
        self
    }

    fn flag(mut self, key: &str, is_set: bool) -> Self {
        if is_set {
            self.0.insert(key.to_owned(), Value::from(true));
        }
        self
    }

    fn object(mut self, key: &str, object: &Map<String, Value>) -> Self {
        if !object.is_empty() {
            self.0.insert(key.to_owned(), Value::from(object.clone()));
        }
        self
    }

    fn value(self) -> Value {
        Value::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::parse_sdl;

    const SDL: &str = r#"
        schema { query: Root }
        directive @cost(weight: Int, by: By) on FIELD_DEFINITION
        enum By { CALL }
        type Root { "one" employee(id: Int!, old: Int = 1 @deprecated): Employee @cost(weight: 5, by: CALL) all(first: Int): Page! }
        "who works here" type Employee implements Node { id: ID! mood: Mood gone: Int @deprecated(reason: "moved") }
        interface Node { id: ID! }
        union Any = Employee | Root
        type Page { pageInfo: Info nodes: [Employee] } type Info { next: Boolean }
        enum Mood { "glad" HAPPY SAD @deprecated }
        input Find @oneOf { mood: Mood = HAPPY text: [String!] }
        scalar Date @specifiedBy(url: "https://d.example")
    "#;

    fn record(coordinate: &str) -> Value {
        let elements = elements(&parse_sdl(SDL).unwrap());
        elements.into_iter().find(|element| element.coordinate == coordinate).unwrap().record
    }

    #[test]
    fn types_list_their_members_by_name_and_type() {
        assert_eq!(
            record("object:Employee"),
            json!({"Coordinate": "object:Employee", "Kind": "object", "Name": "Employee",
                "Description": "who works here",
                "Fields": [{"Name": "id", "TypeRef": "ID!"}, {"Name": "mood", "TypeRef": "Mood"}, {"Name": "gone", "TypeRef": "Int"}],
                "Interfaces": ["Node"]}),
        );
        assert_eq!(record("interface:Node")["ImplementedBy"], json!(["Employee"]));
        assert_eq!(record("union:Any")["PossibleTypes"], json!(["Employee", "Root"]));
        assert_eq!(record("scalar:Date")["SpecifiedByURL"], json!("https://d.example"));
        assert_eq!(
            record("enum:Mood")["Values"],
            json!([{"Name": "HAPPY", "Description": "glad"}, {"Name": "SAD", "DeprecationReason": "No longer supported"}]),
        );
    }

    #[test]
    fn members_tell_all_and_in_order() {
        let field = record("field:Root.employee");
        assert_eq!(
            field,
            json!({"Coordinate": "field:Root.employee", "Kind": "field", "Name": "employee", "Description": "one",
                "Parent": "object:Root", "TypeRef": "Employee",
                "Args": [{"Name": "id", "TypeRef": "Int!"},
                    {"Name": "old", "TypeRef": "Int", "Default": "1", "DeprecationReason": "No longer supported"}],
                "Directives": [{"Name": "cost", "Args": {"weight": 5, "by": "CALL"}}]}),
        );
        let keys: Vec<_> = field.as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            keys,
            [
                "Coordinate",
                "Kind",
                "Name",
                "Description",
                "Parent",
                "TypeRef",
                "Args",
                "Directives"
            ]
        );
        assert_eq!(record("field:Root.all")["Paginated"], json!(true));
        assert_eq!(
            record("input_field:Find.mood"),
            json!({"Coordinate": "input_field:Find.mood", "Kind": "input_field", "Name": "mood",
                "Parent": "input:Find", "TypeRef": "Mood", "Default": "HAPPY"}),
        );
        assert_eq!(record("input:Find")["OneOf"], json!(true));
    }

    #[test]
    fn a_path_lists_its_hops_and_an_operation() {
        assert_eq!(
            record("path:Root.employee"),
            json!({"Coordinate": "path:Root.employee", "Kind": "path", "Name": "employee",
                "Parent": "object:Root", "TypeRef": "Employee",
                "Hops": [{"Coordinate": "field:Root.employee", "TypeRef": "Employee",
                    "Args": [{"Name": "id", "TypeRef": "Int!", "Required": true}, {"Name": "old", "TypeRef": "Int", "Default": "1"}]}],
                "Operation": "query Employee($id: Int!) { employee(id: $id) { __typename } }"}),
        );
    }

    #[test]
    fn elements_are_unique_and_in_order() {
        let elements = elements(&parse_sdl(SDL).unwrap());
        let coordinates: Vec<_> =
            elements.iter().map(|element| element.coordinate.as_str()).collect();
        assert_eq!(coordinates.iter().collect::<HashSet<_>>().len(), coordinates.len());
        assert_eq!(coordinates.first(), Some(&"union:Any"));
        let first_path = elements.iter().position(|element| element.kind == Kind::Path).unwrap();
        assert!(elements.iter().skip(first_path).all(|element| element.kind == Kind::Path));
        let depth = |name: &str| elements.iter().find(|it| it.coordinate == name).unwrap().depth;
        assert_eq!(
            [
                depth("object:Root"),
                depth("field:Root.all"),
                depth("field:Employee.id"),
                depth("enum:Mood"),
                depth("union:Any")
            ],
            [Some(0), Some(0), Some(1), Some(2), None],
        );
        assert_eq!(depth("path:Root.all"), Some(1));
    }
}
