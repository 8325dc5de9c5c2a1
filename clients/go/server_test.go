package sluicegate_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicegate/sluicegate/clients/go"
)

// serve starts a server that ends with the test: SLUICEGATE_BIN, or what cargo has built in the repository.
func serve(t *testing.T) string {
	t.Helper()
	program := os.Getenv("SLUICEGATE_BIN")
	if program == "" {
		program = filepath.Join("..", "..", "target", "debug", "sluicegate")
		if _, err := os.Stat(program); err != nil && os.Getenv("CI") == "" {
			t.Skip("no server: set SLUICEGATE_BIN, or build it")
		}
	}
	server := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, named := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !named {
		t.Fatalf("the server names no address: %q, %v", line, err)
	}
	return address
}

// connect is a client of a server of the test's own.
func connect(t *testing.T) *sluicegate.Client {
	t.Helper()
	client, err := sluicegate.New(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
