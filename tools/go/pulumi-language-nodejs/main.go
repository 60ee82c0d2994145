// The language host for Node.js, which the Pulumi CLI starts as pulumi-language-nodejs. It runs programs and plugins by the scripts
// "run" and "run-plugin" of the npm package @pulumi/pulumi. Programs get the address of the engine's own monitor and no proxy, so they
// reach every method that the engine has, also those of resource hooks.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

const askEngineEvery = 2 * time.Second

func main() {
	if err := serve(engineAddress(os.Args[1:])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// engineAddress is the last argument that is no flag.
func engineAddress(args []string) string {
	for i := len(args) - 1; i >= 0; i-- {
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}

	return ""
}

// serve returns when a signal asked for the end or when the engine is gone, and no request is being served any more.
func serve(engine string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var orphaned atomic.Bool
	if engine != "" {
		lost := func() { orphaned.Store(true); stop() }
		if err := rpcutil.Healthcheck(ctx, engine, askEngineEvery, lost); err != nil {
			return fmt.Errorf("the engine at %s: %w", engine, err)
		}
	}
	ended := make(chan bool)
	context.AfterFunc(ctx, func() { close(ended) })

	server, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: ended,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, &host{engine: engine})

			return nil
		},
		Options: rpcutil.TracingServerInterceptorOptions(nil),
	})
	if err != nil {
		return err
	}
	// The engine reads the port from the first line.
	fmt.Println(server.Port)
	err = <-server.Done
	if orphaned.Load() {
		endProcessGroup()
	}

	return err
}
