package sluicegate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const unionProgram = `package main

import "github.com/sluicegate/sluicegate/clients/go"

type mine struct{}

func main() {
	_ = sluicegate.Policy{Allocation: 1, Strategy: sluicegate.WhileInFlight{}}
	_ = sluicegate.Policy{Allocation: 1, Strategy: sluicegate.WhileInFlight{Duration: 1}}
	_ = sluicegate.Policy{Allocation: 1, Strategy: mine{}}
	_ = sluicegate.Policy{Allocation: 1, Strategy: "while_in_flight"}
}
`

func TestStrategiesAreAClosedUnion(t *testing.T) {
	// A folder of this module, which the compiler takes only when it is named.
	dir, err := os.MkdirTemp(".", "_union")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(unionProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("go", "build", "-o", os.DevNull, "./"+dir).CombinedOutput()
	if err == nil {
		t.Fatal("it compiles")
	}
	for _, line := range []string{"main.go:9:", "main.go:10:", "main.go:11:"} {
		if !strings.Contains(string(said), line) {
			t.Errorf("nothing is said of %s in\n%s", line, said)
		}
	}
	if strings.Contains(string(said), "main.go:8:") {
		t.Errorf("what is right is refused:\n%s", said)
	}
}
