package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/shlex"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// options are the "runtime.options" of Pulumi.yaml.
type options struct {
	typeScript     bool
	tsConfig       string
	nodeArgs       []string
	packageManager string
}

// packageManagers are those that Pulumi.yaml may name, and the file by which each is recognized. npm is the one for all other programs.
var packageManagers = []struct{ name, lockFile string }{
	{"yarn", "yarn.lock"}, {"pnpm", "pnpm-lock.yaml"}, {"bun", "bun.lock"}, {"npm", ""},
}

func optionsOf(info *pulumirpc.ProgramInfo) (options, error) {
	given := info.GetOptions().AsMap()
	found := options{typeScript: true}
	var nodeArgs string
	err := errors.Join(
		read(given, "typescript", &found.typeScript),
		read(given, "tsconfig", &found.tsConfig),
		read(given, "nodeargs", &nodeArgs),
		read(given, "packagemanager", &found.packageManager),
	)
	if err != nil {
		return found, err
	}
	if found.nodeArgs, err = shlex.Split(nodeArgs); err != nil {
		return found, fmt.Errorf("Pulumi.yaml: nodeargs %q: %w", nodeArgs, err)
	}
	if found.packageManager == "auto" {
		found.packageManager = ""
	}
	wished := func(known struct{ name, lockFile string }) bool { return known.name == found.packageManager }
	if found.packageManager != "" && !slices.ContainsFunc(packageManagers, wished) {
		return found, fmt.Errorf(
			"Pulumi.yaml: packagemanager %q: auto, npm, pnpm, yarn or bun is expected", found.packageManager)
	}

	return found, nil
}

// read sets a value to the option of this name, if there is one.
func read[T any](given map[string]any, name string, value *T) error {
	said, isSet := given[name]
	if !isSet || said == nil {
		return nil
	}
	typed, fits := said.(T)
	if !fits {
		text, _ := json.Marshal(said)

		return fmt.Errorf("Pulumi.yaml: %s: %s is no %T", name, text, *value)
	}
	*value = typed

	return nil
}

func (o options) environment() []string {
	environment := []string{fmt.Sprintf("PULUMI_NODEJS_TYPESCRIPT=%t", o.typeScript)}
	if o.tsConfig != "" {
		environment = append(environment, "PULUMI_NODEJS_TSCONFIG_PATH="+o.tsConfig)
	}

	return environment
}

// packageManager is the one that Pulumi.yaml names, else the one whose lock file is there.
func packageManager(info *pulumirpc.ProgramInfo) (string, error) {
	options, err := optionsOf(info)
	if err != nil || options.packageManager != "" {
		return options.packageManager, err
	}
	for _, each := range packageManagers {
		if _, err := os.Stat(filepath.Join(info.GetProgramDirectory(), each.lockFile)); err == nil {
			return each.name, nil
		}
	}

	return "npm", nil
}

// scriptOf is a script of the npm package @pulumi/pulumi that programs in the folder use.
func scriptOf(name, folder string) (string, error) {
	for at := folder; ; at = filepath.Dir(at) {
		script := filepath.Join(at, "node_modules", "@pulumi", "pulumi", "cmd", name, "index.js")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	// Node.js itself knows more places: NODE_PATH, and package managers that make no node_modules.
	command := exec.Command("node", "--print", fmt.Sprintf("require.resolve('@pulumi/pulumi/cmd/%s')", name))
	command.Dir = folder
	found, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s does not see the npm package @pulumi/pulumi: run npm install there", folder)
	}

	return strings.TrimSpace(string(found)), nil
}
