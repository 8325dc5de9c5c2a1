// Command producer defines a budget and enqueues jobs that are bound to it, one for each argument.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/sluicegate/sluicegate/clients/go"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := produce(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func produce(ctx context.Context, receivers []string) error {
	address := os.Getenv("SLUICEGATE_SERVER")
	if address == "" {
		address = "127.0.0.1:7654"
	}
	client, err := sluicegate.New(address)
	if err != nil {
		return err
	}
	defer client.Close()

	// 100 a minute, at most 8 at a stroke. Every instance may define it on boot.
	_, err = client.DefineBudget(ctx, "smtp", sluicegate.Policy{
		Allocation: 100,
		Strategy:   sluicegate.TimeBased{Duration: time.Minute, Burst: sluicegate.Tokens(8)},
	})
	if err != nil && !errors.Is(err, sluicegate.ErrBudgetAlreadyExists) {
		return err
	}

	// At most 4 at once for each receiver; the budget comes with its first job.
	perReceiver := sluicegate.Policy{Allocation: 4, Strategy: sluicegate.WhileInFlight{}}
	var jobs []sluicegate.JobSpec
	for _, receiver := range receivers {
		payload, err := sluicegate.JSON(receiver)
		if err != nil {
			return err
		}
		jobs = append(jobs, sluicegate.JobSpec{
			Queue:   "emails",
			Type:    "welcome",
			Payload: payload,
			Budgets: []sluicegate.Binding{
				sluicegate.Bind("smtp", 1),
				sluicegate.Bind("to:"+receiver, 1).OrCreate(perReceiver),
			},
		})
	}
	enqueued, err := client.EnqueueMany(ctx, jobs)
	if err != nil {
		return err
	}
	for _, job := range enqueued {
		fmt.Println("enqueued", job.ID)
	}
	return nil
}
