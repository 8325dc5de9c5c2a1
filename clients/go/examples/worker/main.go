// Command worker does the producer's jobs until SIGTERM or Ctrl-C, and then drains.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sluicegate/sluicegate/clients/go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := work(ctx); err != nil {
		log.Fatal(err)
	}
}

func work(ctx context.Context) error {
	address := os.Getenv("SLUICEGATE_SERVER")
	if address == "" {
		address = "127.0.0.1:7654"
	}
	client, err := sluicegate.New(address)
	if err != nil {
		return err
	}
	defer client.Close()

	worker, err := client.NewWorker(sluicegate.WorkerConfig{
		Queues:   []string{"emails"},
		Window:   8,
		Handlers: map[string]sluicegate.Handler{"welcome": welcome},
	})
	if err != nil {
		return err
	}
	if err := worker.Run(ctx); err != nil {
		return err
	}
	stats := worker.Stats()
	fmt.Printf("%d done, %d failed, %d given back\n", stats.Succeeded, stats.Failed, stats.Released)
	return nil
}

func welcome(ctx context.Context, job *sluicegate.Job) error {
	var receiver string
	if err := job.DecodeJSON(&receiver); err != nil {
		return sluicegate.Discard{Message: err.Error()}
	}
	return send(ctx, receiver)
}

// send stands for an SMTP client.
func send(ctx context.Context, receiver string) error {
	select {
	case <-time.After(100 * time.Millisecond):
		fmt.Println("welcome,", receiver)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
