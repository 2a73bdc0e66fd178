//! Schemas and prompts out of random numbers: each number decides one thing, and
//! smaller numbers, or fewer of them, make a simpler schema.

use std::fmt::Write as _;

/// Names of entities.
const ENTITIES: [&str; 6] = ["Order", "Customer", "Parcel", "TaxInvoice", "Branch", "_Ticket"];
/// Names of leaves; the same name may be of another type elsewhere.
const LEAVES: [&str; 14] = [
    "name",
    "title",
    "state",
    "createdAt",
    "total",
    "email",
    "url",
    "note",
    "is_open",
    "position",
    "label",
    "_2fa",
    "type",
    "input",
];
/// What leaves and arguments are of; the last five are declared.
const SCALARS: [&str; 10] =
    ["String", "Int", "Float", "Boolean", "ID", "State", "Channel", "DateTime", "JSON", "Decimal"];
/// Values of enums. No value of a prompt stands in a document, these neither.
const VALUES: [&str; 5] = ["OPEN", "CLOSED", "AWAITING_REVIEW", "byMail", "BY_PHONE"];

/// What a prompt may say as a value, and what of it must not be in the document.
const SAID: [(&str, &str); 14] = [
    ("#48151", "48151"),
    ("62342.5", "62342"),
    ("\"quoted words\"", "quoted words"),
    ("`backticked`", "backticked"),
    ("somebody@mail.example", "mail.example"),
    ("2031-07-19", "2031"),
    ("since 19 July 2031", "2031"),
    ("acme/rocket", "acme"),
    ("gid://shop/Order/77123", "77123"),
    ("https://web.example/x?y=1", "web.example"),
    ("the first 913", "913"),
    ("whose name is Zebedee", "Zebedee"),
    ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0"),
    ("ABC-9917", "9917"),
];
const VERBS: [&str; 12] = [
    "show",
    "create",
    "delete the",
    "update",
    "how many",
    "notify me whenever",
    "list all",
    "which",
    "close",
    "add a",
    "the newest",
    "subscribe to",
];
const LINKS: [&str; 8] = ["of", "with their", "and", "by", "where", "sorted by", "in", ","];
/// What nobody would say.
const GARBAGE: [&str; 8] = [
    "{}}{",
    "$input: ID!",
    "\u{202e}\u{0}",
    "注文",
    "query {",
    "... on Order",
    "\"\"\"",
    "\\u{1F600} 🦀",
];

/// The numbers, taken one after another; zeros when they run out.
pub struct Dice<'a>(std::slice::Iter<'a, u8>);

impl<'a> Dice<'a> {
    pub fn new(numbers: &'a [u8]) -> Self {
        Self(numbers.iter())
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.next().map_or(0, |number| usize::from(*number)) % limit.max(1)
    }

    /// Is it so, once in so many times?
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    fn pick<'b, T>(&mut self, from: &'b [T]) -> &'b T {
        &from[self.below(from.len())]
    }
}

/// A valid schema.
pub fn schema(dice: &mut Dice<'_>) -> String {
    let entities = &ENTITIES[..2 + dice.below(ENTITIES.len() - 2)];
    let mut sdl = String::from(
        "scalar DateTime scalar JSON scalar Decimal directive @oneOf on INPUT_OBJECT
enum State { OPEN CLOSED AWAITING_REVIEW } enum Channel { byMail BY_PHONE }
interface Node { id: ID! } interface Named implements Node { id: ID! name: String }
type PageInfo { hasNextPage: Boolean! endCursor: String }\n",
    );
    for entity in entities {
        add_entity(&mut sdl, entities, entity, dice);
        add_inputs(&mut sdl, entities, entity, dice);
        add_connection(&mut sdl, entity, dice);
    }
    let members: Vec<&str> = entities.iter().copied().filter(|_| !dice.once_in(3)).collect();
    let members = if members.is_empty() { entities.to_vec() } else { members };
    writeln!(sdl, "union Found = {}", members.join(" | ")).unwrap();
    add_roots(&mut sdl, entities, dice);
    sdl
}

/// A prompt, and what of it must not be in a document.
pub fn prompt(dice: &mut Dice<'_>) -> (String, Vec<&'static str>) {
    let mut words = vec![(*dice.pick(&VERBS)).to_owned()];
    let mut values = Vec::new();
    for _ in 0..2 + dice.below(5) {
        let entity = *dice.pick(&ENTITIES);
        let entity = entity.trim_start_matches('_').to_lowercase();
        words.push(if dice.once_in(2) { format!("{entity}s") } else { entity });
        words.push((*dice.pick(&LINKS)).to_owned());
        words.push((*dice.pick(&LEAVES)).to_owned());
        if dice.once_in(2) {
            let (said, value) = dice.pick(&SAID);
            words.push((*said).to_owned());
            values.push(*value);
        }
        if dice.once_in(4) {
            words.push((*dice.pick(&VALUES)).to_owned());
        }
        if dice.once_in(8) {
            words.push((*dice.pick(&GARBAGE)).to_owned());
        }
    }
    (words.join(" "), values)
}

fn add_entity(sdl: &mut String, entities: &[&str], entity: &str, dice: &mut Dice<'_>) {
    let is_named = dice.once_in(3);
    let implements = match (is_named, dice.once_in(2)) {
        (true, _) => " implements Named & Node",
        (false, true) => " implements Node",
        (false, false) => "",
    };
    write!(sdl, "type {entity}{implements} {{ id: ID!").unwrap();
    let mut taken = vec!["id"];
    if is_named {
        sdl.push_str(" name: String");
        taken.push("name");
    }
    for _ in 0..=dice.below(5) {
        let leaf = dice.pick(&LEAVES);
        if !taken.contains(leaf) {
            taken.push(leaf);
            let arguments = if dice.once_in(4) { arguments(entities, dice) } else { String::new() };
            let of = *dice.pick(&SCALARS);
            write!(sdl, "\n  {leaf}{arguments}: {}", wrapped(of, dice)).unwrap();
            sdl.push_str(if dice.once_in(6) { " @deprecated(reason: \"old\")" } else { "" });
        }
    }
    for number in 0..dice.below(4) {
        let target = *dice.pick(entities);
        let arguments = if dice.once_in(2) { arguments(entities, dice) } else { String::new() };
        let of = match dice.below(5) {
            0 => wrapped(target, dice),
            1 => format!("{target}Connection!"),
            2 => wrapped("Found", dice),
            3 => wrapped("Node", dice),
            _ => wrapped("Named", dice),
        };
        write!(sdl, "\n  link{}_{number}{arguments}: {of}", target.trim_start_matches('_'))
            .unwrap();
    }
    sdl.push_str(" }\n");
}

fn add_inputs(sdl: &mut String, entities: &[&str], entity: &str, dice: &mut Dice<'_>) {
    let other = dice.pick(entities);
    let default = dice.pick(&["", " = OPEN", " = null"]);
    writeln!(
        sdl,
        "input {entity}Filter {{ state: State{default} any: [{entity}Filter!] name: String
  ids: [ID!] = [\"a\", \"b\"] channels: [Channel] = [byMail, null] {}: {other}Filter }}
input {entity}Key @oneOf {{ id: ID number: Int parent: {entity}Key }}
input {entity}Input {{ name: String! amount: Int = 3 ratio: Float = 1e2 inner: {other}Input day: DateTime
  extra: JSON = {{deep: [1, {{a: \"b\"}}]}} filter: {entity}Filter = {{state: OPEN, any: [{{name: \"x\"}}]}}
  key: {entity}Key{} }}",
        other.trim_start_matches('_').to_lowercase(),
        if dice.once_in(3) { "!" } else { "" },
    )
    .unwrap();
}

fn add_connection(sdl: &mut String, entity: &str, dice: &mut Dice<'_>) {
    let nodes = if dice.once_in(2) { format!(" nodes: [{entity}]") } else { String::new() };
    let count = if dice.once_in(2) { " totalCount: Int" } else { "" };
    writeln!(
        sdl,
        "type {entity}Connection {{ edges: [{entity}Edge]{nodes} pageInfo: PageInfo!{count} }}
type {entity}Edge {{ node: {entity}! cursor: String! position: Int }}"
    )
    .unwrap();
}

fn add_roots(sdl: &mut String, entities: &[&str], dice: &mut Dice<'_>) {
    let renamed = dice.once_in(2);
    let [query, mutation, subscription] = if renamed {
        ["query_root", "Mutations", "Events"]
    } else {
        ["Query", "Mutation", "Subscription"]
    };
    let (mut queries, mut mutations, mut events) = (String::new(), String::new(), String::new());
    for entity in entities {
        let name = entity.trim_start_matches('_');
        let field = format!("{}{}", name[..1].to_lowercase(), &name[1..]);
        let (one, many) = (wrapped(entity, dice), arguments(entities, dice));
        writeln!(queries, "  {field}(id: ID!): {one}\n  {field}s{many}: {entity}Connection")
            .unwrap();
        if dice.once_in(2) {
            writeln!(
                queries,
                "  {field}By(key: {entity}Key!): {entity}\n  all_{field}s: [{entity}!]!"
            )
            .unwrap();
        }
        let payload = if dice.once_in(2) { (*entity).to_owned() } else { format!("{name}Payload") };
        if payload != *entity {
            writeln!(sdl, "type {payload} {{ {field}: {entity} errors: [String!] }}").unwrap();
        }
        writeln!(mutations, "  create{name}(input: {entity}Input!): {payload}").unwrap();
        writeln!(mutations, "  {field}Delete(id: ID!, force: Boolean = false): ID").unwrap();
        writeln!(events, "  {field}Changed{}: {entity}!", arguments(entities, dice)).unwrap();
    }
    writeln!(queries, "  search(text: String!, limit: Int = 11): [Found!]\n  node(id: ID!): Node")
        .unwrap();
    writeln!(sdl, "type {query} {{\n{queries}}}").unwrap();
    let mut schema = format!("query: {query}");
    for (kind, name, fields) in
        [("mutation", mutation, mutations), ("subscription", subscription, events)]
    {
        if !dice.once_in(4) {
            writeln!(sdl, "type {name} {{\n{fields}}}").unwrap();
            write!(schema, " {kind}: {name}").unwrap();
        }
    }
    writeln!(sdl, "schema {{ {schema} }}").unwrap();
}

/// Arguments of every shape, each with or without a default.
fn arguments(entities: &[&str], dice: &mut Dice<'_>) -> String {
    let entity = *dice.pick(entities);
    let all = [
        "first: Int = 20".to_owned(),
        "after: String".to_owned(),
        format!("filter: {entity}Filter = {{state: CLOSED}}"),
        format!("where: [{entity}Filter!]! = []"),
        "state: State".to_owned(),
        "channel: Channel! = BY_PHONE".to_owned(),
        "since: DateTime".to_owned(),
        "orderBy: [[State!]!] = [[OPEN]]".to_owned(),
        format!("key: {entity}Key!"),
        "type: String = \"a \\\"b\\\" c\"".to_owned(),
        "input: JSON".to_owned(),
        "id: ID".to_owned(),
    ];
    let chosen: Vec<&str> = all.iter().filter(|_| dice.once_in(3)).map(String::as_str).collect();
    if chosen.is_empty() { String::new() } else { format!("({})", chosen.join(", ")) }
}

/// A type, perhaps non-null, perhaps in lists.
fn wrapped(name: &str, dice: &mut Dice<'_>) -> String {
    match dice.below(6) {
        0 | 1 => name.to_owned(),
        2 => format!("{name}!"),
        3 => format!("[{name}]"),
        4 => format!("[{name}!]!"),
        _ => format!("[[{name}!]]"),
    }
}
