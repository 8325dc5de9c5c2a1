//! Services by their names, and calls by their service.

use std::collections::HashMap;
use std::convert::Infallible;

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;

/// A call's response; an error of the call is one, too.
pub type Answering = BoxFuture<Response<Body>, Infallible>;

/// One service, whatever it is.
type Answerer = dyn Fn(Request<Body>) -> Answering + Send + Sync;

/// All that is served.
#[derive(Default)]
pub struct Services(HashMap<&'static str, Box<Answerer>>);

impl Services {
    /// With one more.
    pub fn with<S>(mut self, service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future = Answering>,
        S: NamedService + Clone + Send + Sync + 'static,
    {
        // What the build has generated is always ready.
        self.0.insert(S::NAME, Box::new(move |request| service.clone().call(request)));
        self
    }

    /// Has a call answered by the service that its path names.
    pub fn call(&self, request: Request<Body>) -> Answering {
        match named(request.uri().path()).and_then(|name| self.0.get(name)) {
            Some(service) => service(request),
            None => Box::pin(std::future::ready(Ok(Status::unimplemented("").into_http()))),
        }
    }
}

/// The service in `/service/method`.
fn named(path: &str) -> Option<&str> {
    let (name, _method) = path.strip_prefix('/')?.split_once('/')?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_service() {
        assert_eq!(named("/sluicegate.v1.JobService/Enqueue"), Some("sluicegate.v1.JobService"));
        for bad in ["", "/", "/sluicegate.v1.JobService", "sluicegate.v1.JobService/Enqueue"] {
            assert_eq!(named(bad), None, "{bad}");
        }
    }

    #[tokio::test]
    async fn a_service_that_nobody_knows_is_not_implemented() {
        let request = Request::builder().uri("/none.Such/Call").body(Body::empty()).expect("a request");
        let Ok(response) = Services::default().call(request).await;
        assert_eq!(response.headers().get("grpc-status").expect("a status"), "12");
    }
}
