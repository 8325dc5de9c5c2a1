package sluicegate

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Tokens is a number of tokens for a field where nothing said differs from zero, such as [TimeBased.Burst].
func Tokens(number uint64) *uint64 { return &number }

// Priority is a priority for a field where nothing said differs from zero: 0 is the most urgent, 65535 the least.
func Priority(number uint32) *uint32 { return &number }

// durationUnlessZero leaves out the zero of a setting whose bounds begin above it.
func durationUnlessZero(duration time.Duration) *durationpb.Duration {
	if duration == 0 {
		return nil
	}
	return durationpb.New(duration)
}

func durationUnlessNil(duration *time.Duration) *durationpb.Duration {
	if duration == nil {
		return nil
	}
	return durationpb.New(*duration)
}

func timeUnlessZero(instant time.Time) *timestamppb.Timestamp {
	if instant.IsZero() {
		return nil
	}
	return timestamppb.New(instant)
}

// timeFrom is the zero time for one that is unset.
func timeFrom(instant *timestamppb.Timestamp) time.Time {
	if instant == nil {
		return time.Time{}
	}
	return instant.AsTime()
}
