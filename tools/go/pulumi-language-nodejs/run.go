package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// exitAlreadyReported is the exit code of the run script when it has told the user what went wrong.
const exitAlreadyReported = 32

// Run executes a program, and returns when it has ended.
func (h *host) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	options, err := optionsOf(request.GetInfo())
	if err != nil {
		return nil, err
	}
	script, err := scriptOf("run", request.GetInfo().GetProgramDirectory())
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(orEmpty(request.GetConfig()))
	if err != nil {
		return nil, err
	}
	secrets, err := json.Marshal(append([]string{}, request.GetConfigSecretKeys()...))
	if err != nil {
		return nil, err
	}

	args := append(options.nodeArgs, script,
		"--monitor", request.GetMonitorAddress(),
		"--engine", h.engine,
		"--organization", request.GetOrganization(),
		"--project", request.GetProject(),
		"--root-directory", request.GetInfo().GetRootDirectory(),
		"--stack", request.GetStack(),
		"--pwd", request.GetPwd(),
		"--parallel", strconv.Itoa(int(request.GetParallel())),
	)
	if request.GetDryRun() {
		args = append(args, "--dry-run")
	}
	args = append(args, request.GetInfo().GetEntryPoint())
	args = append(args, request.GetArgs()...)

	program := command(ctx, "node", args...)
	program.Dir = request.GetPwd()
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	program.Env = append(os.Environ(), options.environment()...)
	program.Env = append(program.Env, "PULUMI_CONFIG="+string(config), "PULUMI_CONFIG_SECRET_KEYS="+string(secrets))

	return answerTo(program.Run())
}

func answerTo(err error) (*pulumirpc.RunResponse, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &pulumirpc.RunResponse{}, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitAlreadyReported:
		return &pulumirpc.RunResponse{Bail: true}, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &pulumirpc.RunResponse{
			Error: fmt.Sprintf("the program ended with exit code %d", exit.ExitCode()),
		}, nil
	default:
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("Node.js: %v", err)}, nil
	}
}

// RunPlugin executes a plugin that is a folder with a Node.js program, until the engine cancels the request.
func (h *host) RunPlugin(request *pulumirpc.RunPluginRequest, answers pulumirpc.LanguageRuntime_RunPluginServer) error {
	folder := request.GetInfo().GetProgramDirectory()
	script, err := scriptOf("run-plugin", folder)
	if err != nil {
		return err
	}
	options, err := optionsOf(request.GetInfo())
	if err != nil {
		return err
	}
	main := filepath.Join(folder, request.GetInfo().GetEntryPoint())
	args := append(options.nodeArgs, script, main)

	program := command(answers.Context(), "node", append(args, request.GetArgs()...)...)
	program.Dir = request.GetPwd()
	program.Env = append(os.Environ(), request.GetEnv()...)
	out := newTurns(answers.Send)
	program.Stdout = out.writer(func(text []byte) *pulumirpc.RunPluginResponse {
		return &pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: text}}
	})
	program.Stderr = out.writer(func(text []byte) *pulumirpc.RunPluginResponse {
		return &pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: text}}
	})
	err = program.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	code := int32(program.ProcessState.ExitCode())

	return out.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: code}})
}

// InstallDependencies runs the package manager in the program's folder.
func (h *host) InstallDependencies(
	request *pulumirpc.InstallDependenciesRequest, answers pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	folder := request.GetInfo().GetProgramDirectory()
	manager, err := packageManager(request.GetInfo())
	if err != nil {
		return err
	}
	install := command(answers.Context(), manager, "install")
	install.Dir = folder
	out := newTurns(answers.Send)
	install.Stdout = out.writer(func(text []byte) *pulumirpc.InstallDependenciesResponse {
		return &pulumirpc.InstallDependenciesResponse{Stdout: text}
	})
	install.Stderr = out.writer(func(text []byte) *pulumirpc.InstallDependenciesResponse {
		return &pulumirpc.InstallDependenciesResponse{Stderr: text}
	})
	if err := install.Run(); err != nil {
		return fmt.Errorf("%s in %s: %w", strings.Join(install.Args, " "), folder, err)
	}

	return nil
}

// orEmpty keeps JSON from saying null.
func orEmpty(values map[string]string) map[string]string {
	if values == nil {
		return map[string]string{}
	}

	return values
}
