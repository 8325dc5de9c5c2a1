package sluicegate

import (
	"math/rand/v2"
	"time"
)

const (
	// reconnectFirst is the most that the first delay may be, and reconnectMax the most that any may be.
	reconnectFirst = 100 * time.Millisecond
	reconnectMax   = 10 * time.Second
)

// reconnects are delays drawn evenly from 0 to a bound that doubles, so that workers which lost one server don't come back as
// one.
type reconnects struct {
	failures int
	rng      *rand.Rand
}

func (r *reconnects) next() time.Duration {
	bound := r.bound()
	r.failures++
	return time.Duration(r.rng.Int64N(int64(bound) + 1))
}

// reset starts anew, after a connection that worked.
func (r *reconnects) reset() { r.failures = 0 }

func (r *reconnects) bound() time.Duration {
	bound := reconnectFirst
	for doubled := 0; doubled < r.failures && bound < reconnectMax; doubled++ {
		bound *= 2
	}
	return min(bound, reconnectMax)
}
