package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A process whose request was cancelled has so long to end by itself.
const patience = 4500 * time.Millisecond

// command is a program that ends with the request it serves. If the engine is killed, its requests are cancelled at once.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = patience

	return command
}

// endProcessGroup kills the processes that users' programs started and left behind, and this process. The engine makes each host the
// leader of a process group, and normally ends the group; after the engine was killed, nobody else does. A host that a person
// started in a shell may share the shell's group, and kills nothing.
func endProcessGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
}
