package sluicegate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errorDomain is the ErrorInfo.domain under which the reasons of the contract stand.
const errorDomain = "sluicegate"

// Reason says why the server refused a call, for programs. It is an error itself, so that errors.Is tells it:
//
//	if errors.Is(err, sluicegate.ErrBudgetNotFound) { ... }
//
// The facts are in the [Error] around it, which errors.As finds. A reason that this package doesn't know comes as it is.
type Reason string

// The reasons of the contract. The facts that each one comes with are keys of [Error.Metadata].
const (
	// ErrInvalidField: a field is missing or outside its bounds; [Error.Fields] names each.
	ErrInvalidField Reason = "INVALID_FIELD"
	// ErrBudgetAlreadyExists: the budget exists, and keeps its policy (semantics 7.1). Facts: budget.
	ErrBudgetAlreadyExists Reason = "BUDGET_ALREADY_EXISTS"
	// ErrAlreadyBound: the job is bound to the budget (semantics 8.1). Facts: budget, job_id.
	ErrAlreadyBound Reason = "ALREADY_BOUND"
	// ErrBudgetNotFound: there is no such budget, whether asked for or named by a binding (semantics 3.3). Facts: budget.
	ErrBudgetNotFound Reason = "BUDGET_NOT_FOUND"
	// ErrJobNotFound: there is no such job; it may have been removed. Facts: job_id.
	ErrJobNotFound Reason = "JOB_NOT_FOUND"
	// ErrNotBound: the job isn't bound to the budget (semantics 8.1). Facts: budget, job_id.
	ErrNotBound Reason = "NOT_BOUND"
	// ErrQueueNotFound: there is no such queue. Facts: queue.
	ErrQueueNotFound Reason = "QUEUE_NOT_FOUND"
	// ErrCostExceedsCapacity: a cost is above a budget's capacity (semantics 3.2, 7.4). Facts: budget, cost, capacity; of a
	// policy change also job_ids (up to 10, separated by commas) and total.
	ErrCostExceedsCapacity Reason = "COST_EXCEEDS_CAPACITY"
	// ErrBudgetInUse: unfinished jobs are bound to the budget (semantics 7.5). Facts: budget, total.
	ErrBudgetInUse Reason = "BUDGET_IN_USE"
	// ErrJobInFlight: the job is in flight, where its bindings never change (semantics 3.5). Facts: job_id.
	ErrJobInFlight Reason = "JOB_IN_FLIGHT"
	// ErrJobFinished: the job is over. Facts: job_id, state.
	ErrJobFinished Reason = "JOB_FINISHED"
	// ErrEtagMismatch: the policy was changed since its etag was read. Facts: budget, etag (the one it has).
	ErrEtagMismatch Reason = "ETAG_MISMATCH"
	// ErrSessionSuperseded: a newer worker took over the id of this one, which must not come back. Facts: worker_id.
	ErrSessionSuperseded Reason = "SESSION_SUPERSEDED"
	// ErrBudgetLimitReached: the server has all the budgets it may have. Facts: limit.
	ErrBudgetLimitReached Reason = "BUDGET_LIMIT_REACHED"
	// ErrOverloaded: too much is stored, open or waiting at once. Nothing was done. Facts: limit, what.
	ErrOverloaded Reason = "OVERLOADED"
	// ErrStoreUnavailable: a commit failed. Whether the call took effect is unknown: repeat it with the same request id
	// (semantics 10.3).
	ErrStoreUnavailable Reason = "STORE_UNAVAILABLE"
	// ErrDraining: the server is shutting down, and did nothing.
	ErrDraining Reason = "DRAINING"
)

// Error is the reason's name.
func (r Reason) Error() string { return string(r) }

// ErrUnavailable is what errors.Is tells where the server couldn't be reached, or the connection broke. Whether the call took
// effect is unknown then.
const ErrUnavailable transportError = "the server is unavailable"

type transportError string

func (e transportError) Error() string { return string(e) }

// Error is a call that failed at the server or on the way there. errors.Is tells its [Reason], [ErrUnavailable], and the
// context's own errors where the context ended the call.
type Error struct {
	// Reason is the server's; empty where it gave none: a proxy's words, or a connection that broke.
	Reason Reason
	// Code is the gRPC status code.
	Code codes.Code
	// Message is for people. Programs decide by the reason.
	Message string
	// Fields are those that were refused.
	Fields []FieldViolation
	// Metadata has the facts of the reason.
	Metadata map[string]string
	// RetryAfter is how long the server asks callers to wait before they try again; 0 where it doesn't say.
	RetryAfter time.Duration
}

// FieldViolation is a field that was refused.
type FieldViolation struct {
	// Field is its path as the contract writes it, such as jobs[3].bindings[0].cost.
	Field string
	// Description says what is wrong with it.
	Description string
}

// Error says the reason or the code, and the server's words.
func (e *Error) Error() string {
	kind := string(e.Reason)
	if kind == "" {
		kind = e.Code.String()
	}
	if e.Message == "" {
		return "sluicegate: " + kind
	}
	return "sluicegate: " + kind + ": " + e.Message
}

// Unwrap lets errors.Is see the reason, or what happened on the way.
func (e *Error) Unwrap() error {
	switch {
	case e.Reason != "":
		return e.Reason
	case e.Code == codes.Unavailable:
		return ErrUnavailable
	case e.Code == codes.Canceled:
		return context.Canceled
	case e.Code == codes.DeadlineExceeded:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// GRPCStatus is the code and the message, for what looks at statuses.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

// Retryable tells whether the same call may succeed later. After [ErrStoreUnavailable] and [ErrUnavailable] the call may have
// taken effect already: repeat an enqueue only with a request id.
func (e *Error) Retryable() bool {
	switch e.Reason {
	case ErrOverloaded, ErrStoreUnavailable, ErrDraining:
		return true
	case "":
		return e.Code == codes.Unavailable
	default:
		return false
	}
}

// Fact is one of the reason's facts as a number, such as cost or capacity; 0 where it isn't there or isn't one.
func (e *Error) Fact(key string) uint64 {
	number, err := strconv.ParseUint(e.Metadata[key], 10, 64)
	if err != nil {
		return 0
	}
	return number
}

// ClientError is a call that this package refuses itself; nothing was sent.
type ClientError struct {
	// Message says what is wrong, and what would be right.
	Message string
}

// Error is the message.
func (e *ClientError) Error() string { return "sluicegate: " + e.Message }

func refused(format string, arguments ...any) error {
	return &ClientError{Message: fmt.Sprintf(format, arguments...)}
}

// unexpectedAnswer is an answer without what the contract promises.
func unexpectedAnswer(what string) error {
	return &Error{Code: codes.Internal, Message: "the server's answer lacks `" + what + "`"}
}

// fromRPC reads an error of a call or a stream. Details that an older or newer server leaves out are empty.
func fromRPC(err error) error {
	if err == nil {
		return nil
	}
	from := status.Convert(err)
	to := &Error{Code: from.Code(), Message: from.Message()}
	for _, detail := range from.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				to.Reason = Reason(detail.GetReason())
				to.Metadata = detail.GetMetadata()
			}
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				to.Fields = append(to.Fields, FieldViolation{violation.GetField(), violation.GetDescription()})
			}
		case *errdetails.RetryInfo:
			to.RetryAfter = max(detail.GetRetryDelay().AsDuration(), 0)
		}
	}
	if field := to.Metadata["field"]; field != "" && len(to.Fields) == 0 {
		to.Fields = []FieldViolation{{field, to.Message}}
	}
	return to
}

// validText replaces what isn't UTF-8, which no message of the contract can carry.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
