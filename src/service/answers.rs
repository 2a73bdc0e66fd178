//! [`Discovery`] by one graph of the catalog.

use std::sync::Arc;

use super::{
    catalog::Catalog,
    contract::GraphName,
    problem::{Code, Problem},
};
use crate::{
    discovery::{
        Discovery, DiscoveryError, GenerateRequest, GenerateResponse, OnProgress, SearchRequest,
        SearchResponse, SymbolsRequest, SymbolsResponse,
    },
    engine::Engine,
    generate,
};

/// One graph of a service, as whoever asks sees it.
#[derive(Clone)]
pub struct GraphDiscovery {
    catalog: Arc<Catalog>,
    graph: GraphName,
    endpoint: Option<String>,
}

impl GraphDiscovery {
    /// The graph of this name, whether or not it is there yet. `endpoint` is
    /// where those who ask are told to run an operation.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>, graph: GraphName, endpoint: Option<String>) -> Self {
        Self { catalog, graph, endpoint }
    }

    fn engine(&self) -> Result<Engine, DiscoveryError> {
        self.catalog.engine(&self.graph).map_err(|problem| as_error(&problem))
    }
}

impl Discovery for GraphDiscovery {
    async fn search(&self, request: SearchRequest) -> Result<SearchResponse, DiscoveryError> {
        request.check()?;
        let engine = self.engine()?;
        self.catalog.metrics.searched(engine.index.remembers(&request));
        engine.ask(move |it| it.index.search(&request, &it.embedder)).await
    }

    async fn symbols(&self, request: SymbolsRequest) -> Result<SymbolsResponse, DiscoveryError> {
        request.check()?;
        let symbols = self.engine()?.ask(move |it| it.index.symbols(&request.coordinates)).await?;
        Ok(SymbolsResponse { symbols })
    }

    async fn generate(
        &self,
        request: GenerateRequest,
        _progress: &OnProgress,
    ) -> Result<GenerateResponse, DiscoveryError> {
        generate::check(&request)?;
        let endpoint = self.endpoint.clone();
        self.engine()?
            .ask(move |it| {
                generate::generate(&it.index, &it.embedder, &request, endpoint.as_deref())
            })
            .await
    }
}

/// What an agent is told of a problem: the sentence of its row in the table of
/// errors. The adapter reads the problems of a remote service by the same rule.
#[must_use]
pub fn as_error(problem: &Problem) -> DiscoveryError {
    match problem.code {
        // Of a graph that nobody uploaded yet, the first build is to come.
        Code::Building | Code::GraphUnknown => DiscoveryError::Building,
        Code::Expired => DiscoveryError::Expired,
        Code::Unready | Code::QueueFull | Code::Overloaded | Code::TimedOut => {
            DiscoveryError::NotReady
        }
        Code::TokenRefused | Code::ScopeTooSmall => DiscoveryError::Misconfigured,
        Code::RequestNotValid | Code::TooLarge => DiscoveryError::invalid(&problem.detail),
        Code::Failed | Code::SchemaNotValid | Code::TooManyGraphs | Code::Internal => {
            DiscoveryError::failed(&problem.detail)
        }
        // No service of this release answers so to a question.
        Code::NotFound | Code::MethodNotAllowed | Code::MediaType => DiscoveryError::Unreachable,
    }
}
