//! Which methods stream, as the services' descriptors say.

use std::collections::HashMap;

use prost::Message;
use prost_types::FileDescriptorSet;

use super::intake::Sends;

/// What a method's caller sends, and whether its answer is one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many messages a call sends.
    pub sends: Sends,
    /// Whether the answer is one message; else more may come at any time.
    pub answers_once: bool,
}

impl Shape {
    /// Of a method that nobody knows: its call is refused at once.
    const UNKNOWN: Self = Self { sends: Sends::One, answers_once: true };
}

/// Methods by their path.
#[derive(Debug)]
pub struct Methods(HashMap<String, Shape>);

impl Methods {
    /// All methods that these encoded descriptors have.
    pub fn of(descriptors: &[&[u8]]) -> Self {
        let mut shapes = HashMap::new();
        for encoded in descriptors {
            let files = FileDescriptorSet::decode(*encoded).expect("descriptors that the build has encoded");
            for file in files.file {
                for service in &file.service {
                    for method in &service.method {
                        let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                        let sends = if method.client_streaming() { Sends::Many } else { Sends::One };
                        shapes.insert(path, Shape { sends, answers_once: !method.server_streaming() });
                    }
                }
            }
        }
        Self(shapes)
    }

    /// How the method at this path streams.
    pub fn shape(&self, path: &str) -> Shape {
        self.0.get(path).copied().unwrap_or(Shape::UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::proto::FILE_DESCRIPTOR_SET;

    #[test]
    fn methods_stream_as_their_descriptors_say() {
        let methods = Methods::of(&[FILE_DESCRIPTOR_SET, tonic_health::pb::FILE_DESCRIPTOR_SET]);
        let shape = |sends, answers_once| Shape { sends, answers_once };
        assert_eq!(methods.shape("/sluicegate.v1.JobService/Enqueue"), shape(Sends::One, true));
        assert_eq!(methods.shape("/sluicegate.v1.JobService/Dispatch"), shape(Sends::Many, false));
        assert_eq!(methods.shape("/grpc.health.v1.Health/Watch"), shape(Sends::One, false));
        assert_eq!(methods.shape("/sluicegate.v1.JobService/Unknown"), Shape::UNKNOWN);
    }
}
