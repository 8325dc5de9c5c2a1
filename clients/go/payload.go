package sluicegate

import (
	"encoding/json"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Payload is a handler's input: [JSONText] or [Binary], and nothing else. At most the server's bound, 1 MiB unless it was told
// otherwise. It never changes and is never logged.
type Payload interface {
	addTo(spec *pb.JobSpec)
	// Bytes is the payload as it was given.
	Bytes() []byte
}

// JSONText is JSON (RFC 8259), checked at enqueue and kept as it was written.
type JSONText string

// Binary is any bytes.
type Binary []byte

func (t JSONText) addTo(spec *pb.JobSpec) { spec.Payload = &pb.JobSpec_Json{Json: string(t)} }
func (b Binary) addTo(spec *pb.JobSpec)   { spec.Payload = &pb.JobSpec_Binary{Binary: b} }

// Bytes is the text in UTF-8.
func (t JSONText) Bytes() []byte { return []byte(t) }

// Bytes is the payload itself, not a copy.
func (b Binary) Bytes() []byte { return b }

// JSON is this value as a payload. It fails as [json.Marshal] does.
func JSON(value any) (Payload, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return JSONText(text), nil
}

// payloadFromWire is nil where a job has none.
func payloadFromWire(spec *pb.JobSpec) Payload {
	switch payload := spec.GetPayload().(type) {
	case *pb.JobSpec_Json:
		return JSONText(payload.Json)
	case *pb.JobSpec_Binary:
		return Binary(payload.Binary)
	default:
		return nil
	}
}
