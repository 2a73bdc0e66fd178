//! The variables of an operation that somebody wrote, made anew from the places
//! where values stand: each has the schema's type and default.

use std::collections::{HashMap, HashSet};

use apollo_compiler::{Name, Node, ast::Value};

use crate::{
    generate::{
        arguments::Place,
        operation::{self, Variable},
    },
    schema::{InputValue, Schema, TypeKind},
};

/// How deep an input object is taken apart. What lies deeper is one variable.
const MAX_INPUT_DEPTH: usize = 4;

/// Where a value stands.
pub struct Spot<'s> {
    /// The argument or input field that takes it.
    pub argument: &'s InputValue,
    pub place: Place,
    pub at_root: bool,
    /// What it hangs from: the field, or the argument or input field.
    pub below: &'s str,
    /// How deep it lies in input objects.
    pub depth: usize,
}

/// The variables so far.
pub struct Binding<'s> {
    schema: &'s Schema,
    with_defaults: bool,
    variables: Vec<Variable<'s>>,
    /// The variables that stood in the document, by the names they had there.
    written: HashMap<String, usize>,
    taken: HashSet<String>,
    /// The positions of the variables below the present root field.
    used: Vec<usize>,
}

impl<'s> Binding<'s> {
    pub fn new(schema: &'s Schema, with_defaults: bool) -> Self {
        Self {
            schema,
            with_defaults,
            variables: Vec::new(),
            written: HashMap::new(),
            taken: HashSet::new(),
            used: Vec::new(),
        }
    }

    /// Begins another root field.
    pub fn begin(&mut self) {
        self.used.clear();
    }

    /// The positions of the variables since then.
    pub fn used(&self) -> &[usize] {
        &self.used
    }

    pub fn into_variables(self) -> Vec<Variable<'s>> {
        self.variables
    }

    /// What stands in place of a value: a variable, or an input object of them.
    pub fn value(&mut self, written: &Node<Value>, spot: &Spot<'s>) -> Node<Value> {
        match &**written {
            Value::Variable(name) => self.passed(name, spot).unwrap_or_else(|| written.clone()),
            Value::Object(entries) if !entries.is_empty() && self.is_taken_apart(spot) => {
                let lifted = entries
                    .iter()
                    .map(|(name, value)| (name.clone(), self.entry(name, value, spot)))
                    .collect();
                Node::new(Value::Object(lifted))
            }
            _ => {
                let at = self.declare(None, spot);
                self.reference(at).unwrap_or_else(|| written.clone())
            }
        }
    }

    /// An input object of which any fields may be given, each by a variable.
    fn is_taken_apart(&self, spot: &Spot<'s>) -> bool {
        let type_ref = &spot.argument.type_ref;
        spot.depth < MAX_INPUT_DEPTH
            && !type_ref.is_list()
            && self
                .schema
                .get(type_ref.named())
                .is_some_and(|ty| ty.kind == TypeKind::Input && !ty.one_of)
    }

    fn entry(&mut self, name: &Name, value: &Node<Value>, spot: &Spot<'s>) -> Node<Value> {
        let input = self.schema.get(spot.argument.type_ref.named());
        let Some(argument) = input.and_then(|input| input_of(&input.input_fields, name)) else {
            return value.clone();
        };
        let below = spot.argument.name.as_str();
        let inner = Spot {
            argument,
            place: spot.place,
            at_root: spot.at_root,
            below,
            depth: spot.depth + 1,
        };
        self.value(value, &inner)
    }

    /// A variable that was written: the same one wherever its type fits.
    fn passed(&mut self, name: &Name, spot: &Spot<'s>) -> Option<Node<Value>> {
        let bare = |argument: &'s InputValue| argument.type_ref.as_str().trim_end_matches('!');
        let known = self.written.get(name.as_str()).copied();
        let known = known.and_then(|at| Some((at, self.variables.get_mut(at)?)));
        let at = match known {
            Some((at, variable)) if bare(variable.argument) == bare(spot.argument) => {
                // What one place must have, both get.
                if spot.argument.type_ref.is_non_null() {
                    variable.argument = spot.argument;
                    variable.has_default = self.with_defaults && spot.argument.default.is_some();
                }
                at
            }
            _ => {
                let at = self.declare(Some(name), spot);
                self.written.entry(name.to_string()).or_insert(at);
                at
            }
        };
        self.reference(at)
    }

    fn reference(&mut self, at: usize) -> Option<Node<Value>> {
        if !self.used.contains(&at) {
            self.used.push(at);
        }
        let name = &self.variables.get(at)?.name;
        Name::new(name).ok().map(|name| Node::new(Value::Variable(name)))
    }

    /// A new variable, and its place among all.
    fn declare(&mut self, written: Option<&Name>, spot: &Spot<'s>) -> usize {
        let Spot { argument, place, at_root, .. } = *spot;
        let name = self.unused(written, spot);
        let has_default = self.with_defaults && argument.default.is_some();
        self.variables.push(Variable { name, argument, place, at_root, has_default });
        self.variables.len() - 1
    }

    /// The name it had, else the argument's, else with what it hangs from before
    /// it. `where: { name: { _eq: … } }` is about the name.
    fn unused(&mut self, written: Option<&Name>, spot: &Spot<'s>) -> String {
        let qualified = operation::camel(&format!("{}_{}", spot.below, spot.argument.name));
        let first = match written {
            Some(written) => written.to_string(),
            None if spot.depth > 1 => qualified.clone(),
            None => operation::camel(&spot.argument.name),
        };
        operation::take_name(&mut self.taken, first, &qualified)
    }
}

/// The argument or input field of that name.
pub fn input_of<'s>(inputs: &'s [InputValue], name: &str) -> Option<&'s InputValue> {
    inputs.iter().find(|input| input.name == name)
}
