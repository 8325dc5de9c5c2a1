// Command conformance maps the commands of the clients' conformance script to this client's public API: one JSON object a line
// comes in, answers and events go out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/sluicegate/sluicegate/clients/go"
)

func main() {
	address := flag.String("address", "", "the server's address")
	flag.Parse()
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(*address, logger); err != nil {
		logger.Error("the runner ends", "error", err)
		os.Exit(1)
	}
}

// run answers commands until the input ends.
func run(address string, logger *slog.Logger) error {
	client, err := sluicegate.New(address, sluicegate.WithLogger(logger))
	if err != nil {
		return err
	}
	out := &output{writer: bufio.NewWriter(os.Stdout)}
	r := &runner{client: client, workers: newWorkers(client, out)}
	commands := r.commands()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var head struct {
			ID uint64 `json:"id"`
			Do string `json:"do"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return fmt.Errorf("not a command: %w", err)
		}
		go func() {
			command, known := commands[head.Do]
			if !known {
				out.refuse(head.ID, unsupported(head.Do))
				return
			}
			if answer, err := command(context.Background(), line); err != nil {
				out.refuse(head.ID, err)
			} else {
				out.write(map[string]any{"id": head.ID, "ok": answer})
			}
		}()
	}
}

// output writes whole lines, whoever writes.
type output struct {
	mutex  sync.Mutex
	writer *bufio.Writer
}

func (o *output) write(line map[string]any) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	// Nobody is there to be told when the other end has gone.
	_ = json.NewEncoder(o.writer).Encode(line)
	_ = o.writer.Flush()
}

func (o *output) refuse(id uint64, err error) {
	o.write(map[string]any{"id": id, "error": errorOut(err)})
}

type unsupported string

func (u unsupported) Error() string { return "there is no command " + string(u) }

// errorOut is an error as the script knows it. The kind of a server's error is the one that errors.Is tells.
func errorOut(err error) map[string]any {
	out := map[string]any{"reason": nil, "kind": "", "retryable": false, "retryAfterMs": nil, "fields": []string{}, "message": err.Error()}
	var called *sluicegate.Error
	var refused *sluicegate.ClientError
	var unknown unsupported
	switch {
	case errors.As(err, &called):
		out["kind"] = kindOf(err)
		out["retryable"] = called.Retryable()
		if called.Reason != "" {
			out["reason"] = string(called.Reason)
		}
		if called.RetryAfter > 0 {
			out["retryAfterMs"] = called.RetryAfter.Milliseconds()
		}
		fields := []string{}
		for _, violation := range called.Fields {
			fields = append(fields, violation.Field)
		}
		out["fields"] = fields
	case errors.As(err, &refused):
		out["kind"] = "Client"
	case errors.As(err, &unknown):
		out["kind"] = "Unsupported"
	default:
		out["kind"] = fmt.Sprintf("%T", err)
	}
	return out
}

func kindOf(err error) string {
	for _, kind := range []struct {
		is   error
		name string
	}{
		{sluicegate.ErrInvalidField, "ErrInvalidField"},
		{sluicegate.ErrBudgetAlreadyExists, "ErrBudgetAlreadyExists"},
		{sluicegate.ErrAlreadyBound, "ErrAlreadyBound"},
		{sluicegate.ErrBudgetNotFound, "ErrBudgetNotFound"},
		{sluicegate.ErrJobNotFound, "ErrJobNotFound"},
		{sluicegate.ErrNotBound, "ErrNotBound"},
		{sluicegate.ErrQueueNotFound, "ErrQueueNotFound"},
		{sluicegate.ErrCostExceedsCapacity, "ErrCostExceedsCapacity"},
		{sluicegate.ErrBudgetInUse, "ErrBudgetInUse"},
		{sluicegate.ErrJobInFlight, "ErrJobInFlight"},
		{sluicegate.ErrJobFinished, "ErrJobFinished"},
		{sluicegate.ErrEtagMismatch, "ErrEtagMismatch"},
		{sluicegate.ErrSessionSuperseded, "ErrSessionSuperseded"},
		{sluicegate.ErrBudgetLimitReached, "ErrBudgetLimitReached"},
		{sluicegate.ErrOverloaded, "ErrOverloaded"},
		{sluicegate.ErrStoreUnavailable, "ErrStoreUnavailable"},
		{sluicegate.ErrDraining, "ErrDraining"},
		{sluicegate.ErrUnavailable, "ErrUnavailable"},
	} {
		if errors.Is(err, kind.is) {
			return kind.name
		}
	}
	return "Error"
}
