//! The description of the API in `OpenAPI` 3.1, from the types that the routes
//! read and write.

use std::{collections::BTreeMap, sync::LazyLock};

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    contract::{GraphList, GraphName, GraphStatus},
    metrics,
    problem::{self, Code, Problem},
};
use crate::discovery::{
    GenerateRequest, GenerateResponse, SearchRequest, SearchResponse, SymbolsRequest,
    SymbolsResponse,
};

/// What can go wrong with every request under `/v1`.
const ANYWHERE: [Code; 4] = [Code::TokenRefused, Code::Overloaded, Code::TimedOut, Code::Internal];

/// What can go wrong with a question to a graph, besides.
const OF_QUESTION: [Code; 9] = [
    Code::RequestNotValid,
    Code::GraphUnknown,
    Code::Building,
    Code::Expired,
    Code::Unready,
    Code::Failed,
    Code::MediaType,
    Code::TooLarge,
    Code::ScopeTooSmall,
];

/// The document.
#[must_use]
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Document { schemas: settings.into_generator() }.write()
    });
    &DOCUMENT
}

struct Document {
    schemas: SchemaGenerator,
}

/// A path and a method, and what goes in and out.
struct Operation {
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    answers: Vec<(u16, Value)>,
    problems: Vec<Code>,
    is_open: bool,
}

impl Document {
    fn write(mut self) -> Value {
        let paths = self.paths();
        let components: Map<String, Value> = self.schemas.take_definitions(true);
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Sextant",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Finds the way in GraphQL graphs that are too large to read. \
                    Upload the schema of a graph, then ask what there is about a topic, what exactly a coordinate is, \
                    and how to ask for data.",
                "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            },
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } },
            },
        })
    }

    fn paths(&mut self) -> Value {
        let status = self.json::<GraphStatus>("How the graph is.");
        let list = self.json::<GraphList>("The graphs that the token is for.");
        let graph = self.graph();
        let of_graph = || vec![graph.clone()];
        let list_graphs = self.operation(Operation {
            id: "listGraphs",
            summary: "Lists the graphs that the token is for",
            parameters: vec![],
            body: None,
            answers: vec![(200, list)],
            problems: vec![],
            is_open: false,
        });
        let get_graph = self.operation(Operation {
            id: "getGraph",
            summary: "Says how a graph is",
            parameters: of_graph(),
            body: None,
            answers: vec![(200, status.clone())],
            problems: vec![Code::RequestNotValid, Code::GraphUnknown],
            is_open: false,
        });
        let delete_graph = self.operation(Operation {
            id: "deleteGraph",
            summary: "Drops a graph with its index",
            parameters: of_graph(),
            body: None,
            answers: vec![(204, json!({ "description": "It is gone." }))],
            problems: vec![Code::RequestNotValid, Code::ScopeTooSmall, Code::GraphUnknown],
            is_open: false,
        });
        let sdl = json!({ "schema": { "type": "string", "description": "The schema as SDL." } });
        let mut accepted = status.clone();
        if let Some(description) = accepted.get_mut("description") {
            *description = json!("The schema is taken, and its build waits or runs.");
        }
        let put_schema = self.operation(Operation {
            id: "putSchema",
            summary: "Gives a graph its schema, and makes the graph where it is new; does nothing where the schema is the graph's latest",
            parameters: of_graph(),
            body: Some(json!({
                "required": true,
                "description": "SDL, at will packed with `Content-Encoding: gzip`.",
                "content": { "application/graphql": sdl, "text/plain": sdl },
            })),
            answers: vec![(200, status), (202, accepted)],
            problems: vec![
                Code::RequestNotValid,
                Code::ScopeTooSmall,
                Code::TooManyGraphs,
                Code::TooLarge,
                Code::MediaType,
                Code::SchemaNotValid,
                Code::QueueFull,
                Code::Unready,
            ],
            is_open: false,
        });
        let search = self.question::<SearchRequest, SearchResponse>(
            "search",
            "Ranks the elements of the schema against a topic",
            of_graph(),
        );
        let symbols = self.question::<SymbolsRequest, SymbolsResponse>(
            "symbols",
            "Reads the full record of each coordinate",
            of_graph(),
        );
        let endpoint = json!({
            "name": "endpoint",
            "in": "query",
            "description": "The URL at which operations are run, for the guidance.",
            "schema": { "type": "string", "pattern": "^https?://[A-Za-z0-9.-]+(/[A-Za-z0-9/_-]*)?$", "maxLength": 2048 },
        });
        let generate = self.question::<GenerateRequest, GenerateResponse>(
            "generate",
            "Writes an operation from a description of the data",
            vec![graph.clone(), endpoint],
        );
        json!({
            "/v1/graphs": { "get": list_graphs },
            "/v1/graphs/{graph}": { "get": get_graph, "delete": delete_graph },
            "/v1/graphs/{graph}/schema": { "put": put_schema },
            "/v1/graphs/{graph}/search": { "post": search },
            "/v1/graphs/{graph}/symbols": { "post": symbols },
            "/v1/graphs/{graph}/generate": { "post": generate },
            "/healthz": { "get": self.page("health", "Says that the process answers", "text/plain; charset=utf-8", vec![]) },
            "/readyz": { "get": self.page("readiness", "Says whether requests can be sent here", "text/plain; charset=utf-8", vec![Code::Unready]) },
            "/metrics": { "get": self.page("metrics", "Counts for Prometheus", metrics::MEDIA_TYPE, vec![]) },
        })
    }

    fn question<Request: JsonSchema, Answer: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        parameters: Vec<Value>,
    ) -> Value {
        let request = self.schemas.subschema_for::<Request>();
        let body =
            json!({ "required": true, "content": { "application/json": { "schema": request } } });
        let answers = vec![(200, self.json::<Answer>("The answer."))];
        let problems = OF_QUESTION.to_vec();
        self.operation(Operation {
            id,
            summary,
            parameters,
            body: Some(body),
            answers,
            problems,
            is_open: false,
        })
    }

    fn page(
        &mut self,
        id: &'static str,
        summary: &'static str,
        media_type: &str,
        problems: Vec<Code>,
    ) -> Value {
        let content = json!({ media_type: { "schema": { "type": "string" } } });
        let answers = vec![(200, json!({ "description": "The text.", "content": content }))];
        self.operation(Operation {
            id,
            summary,
            parameters: vec![],
            body: None,
            answers,
            problems,
            is_open: true,
        })
    }

    fn operation(&mut self, operation: Operation) -> Value {
        let Operation { id, summary, parameters, body, answers, problems, is_open } = operation;
        let schema = self.schemas.subschema_for::<Problem>();
        let everywhere: &[Code] = if is_open { &[] } else { &ANYWHERE };
        let mut codes: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
        for code in problems.into_iter().chain(everywhere.iter().copied()) {
            codes.entry(code.status().as_u16()).or_default().push(code);
        }
        let refusals = codes.into_iter().map(|(status, codes)| {
            let told: Vec<String> = codes.iter().map(|code| format!("{} `{}`", code.title(), code.name())).collect();
            let mut answer = json!({
                "description": told.join(" "),
                "content": { problem::MEDIA_TYPE: { "schema": schema } },
            });
            let may_pass = codes.iter().any(|code| code.retry_after().is_some());
            if let Some(answer) = answer.as_object_mut().filter(|_| may_pass) {
                let headers = json!({
                    "Retry-After": { "description": "Seconds to wait.", "schema": { "type": "integer" } },
                });
                answer.insert("headers".to_owned(), headers);
            }
            (status, answer)
        });
        let responses: Map<String, Value> = answers
            .into_iter()
            .chain(refusals)
            .map(|(status, answer)| (status.to_string(), answer))
            .collect();
        let mut described = json!({
            "operationId": id,
            "summary": summary,
            "parameters": parameters,
            "responses": responses,
            // Without keys a service asks for no token.
            "security": if is_open { json!([]) } else { json!([{ "token": [] }, {}]) },
        });
        if let (Some(described), Some(body)) = (described.as_object_mut(), body) {
            described.insert("requestBody".to_owned(), body);
        }
        described
    }

    fn json<T: JsonSchema>(&mut self, description: &str) -> Value {
        let schema = self.schemas.subschema_for::<T>();
        json!({
            "description": description,
            "content": { "application/json": { "schema": schema } },
        })
    }

    fn graph(&mut self) -> Value {
        let schema = self.schemas.subschema_for::<GraphName>();
        json!({ "name": "graph", "in": "path", "required": true, "schema": schema })
    }
}
