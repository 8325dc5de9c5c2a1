package sluicegate

import (
	"context"
	"maps"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// The names under which the W3C's trace context travels in a job's metadata.
const (
	traceparentKey = "traceparent"
	tracestateKey  = "tracestate"
)

// trace is where a job came from, as the W3C's trace context writes it.
type trace struct{ parent, state string }

type traceKey struct{}

// WithTrace is a context whose enqueues carry this W3C trace context in their jobs' metadata; tracestate may be empty. The
// context of a handler has the trace of its job, so that jobs enqueued with it go on with that trace.
func WithTrace(ctx context.Context, traceparent, tracestate string) context.Context {
	return context.WithValue(ctx, traceKey{}, trace{traceparent, tracestate})
}

// TraceFrom is the W3C trace context of a handler's context, or of one from [WithTrace]; empty where there is none.
func TraceFrom(ctx context.Context) (traceparent, tracestate string) {
	trace := traceOf(ctx)
	return trace.parent, trace.state
}

func traceOf(ctx context.Context) trace {
	found, _ := ctx.Value(traceKey{}).(trace)
	return found
}

// spec is a job that carries the trace, unless it has one.
func (t trace) spec(spec JobSpec) *pb.JobSpec {
	if _, hasTrace := spec.Metadata[traceparentKey]; !hasTrace && t.parent != "" {
		with := make(map[string]string, len(spec.Metadata)+2)
		maps.Copy(with, spec.Metadata)
		with[traceparentKey] = t.parent
		if t.state != "" {
			with[tracestateKey] = t.state
		}
		spec.Metadata = with
	}
	return spec.Proto()
}
