package sluicegate

import (
	"context"
	"iter"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Queue is an ordered stream of jobs and its depth. It needs no creating: it exists as soon as a job names it.
type Queue struct {
	// Name is 1 to 128 bytes of [A-Za-z0-9._:/@-].
	Name string
	// Paused tells whether it dispatches nothing.
	Paused bool
	// Scheduled, Ready and InFlight count its unfinished jobs, the others those that are retained.
	Scheduled, Ready, InFlight, Completed, Dead, Cancelled uint64
	// OldestReadyAge is how long the ready job with the earliest ready time has been ready; 0 where none is.
	OldestReadyAge time.Duration
	// Workers counts connected workers that serve it, waiting [Client.LeaseJobs] calls included.
	Workers uint32
}

func queueFromWire(queue *pb.Queue, err error) (*Queue, error) {
	if err != nil {
		return nil, fromRPC(err)
	}
	if queue == nil {
		return nil, unexpectedAnswer("queue")
	}
	return &Queue{
		Name:           queue.GetName(),
		Paused:         queue.GetPaused(),
		Scheduled:      queue.GetScheduled(),
		Ready:          queue.GetReady(),
		InFlight:       queue.GetInFlight(),
		Completed:      queue.GetCompleted(),
		Dead:           queue.GetDead(),
		Cancelled:      queue.GetCancelled(),
		OldestReadyAge: queue.GetOldestReadyAge().AsDuration(),
		Workers:        queue.GetWorkers(),
	}, nil
}

// ListQueues shows the queues that have stored jobs or are paused, in the order of their names' bytes, page by page as the loop
// goes on. An error ends the loop.
func (c *Client) ListQueues(ctx context.Context, opts ...ListOption) iter.Seq2[*Queue, error] {
	return pages(opts, func(size uint32, token string) ([]*pb.Queue, string, error) {
		answer, err := c.queues.ListQueues(ctx, &pb.ListQueuesRequest{PageSize: size, PageToken: token})
		return answer.GetQueues(), answer.GetNextPageToken(), err
	}, func(queue *pb.Queue) (*Queue, error) { return queueFromWire(queue, nil) })
}

// PauseQueue dispatches nothing from a queue until it is resumed, one that nobody has named yet included (semantics 9.4). What
// is in flight goes on, and jobs may be enqueued.
func (c *Client) PauseQueue(ctx context.Context, name string) (*Queue, error) {
	answer, err := c.queues.PauseQueue(ctx, &pb.PauseQueueRequest{Name: name})
	return queueFromWire(answer.GetQueue(), err)
}

// ResumeQueue dispatches from a queue again. It succeeds for one that isn't paused.
func (c *Client) ResumeQueue(ctx context.Context, name string) (*Queue, error) {
	answer, err := c.queues.ResumeQueue(ctx, &pb.ResumeQueueRequest{Name: name})
	return queueFromWire(answer.GetQueue(), err)
}
