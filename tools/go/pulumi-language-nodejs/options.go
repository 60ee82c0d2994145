package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// options are the "runtime.options" of Pulumi.yaml.
type options struct {
	typeScript     bool
	tsConfig       string
	nodeArgs       []string
	packageManager string
}

func optionsOf(info *pulumirpc.ProgramInfo) options {
	given := info.GetOptions().AsMap()
	text := func(name string) string { value, _ := given[name].(string); return value }
	typeScript, isSet := given["typescript"].(bool)

	return options{
		typeScript:     typeScript || !isSet,
		tsConfig:       text("tsconfig"),
		nodeArgs:       strings.Fields(text("nodeargs")),
		packageManager: text("packagemanager"),
	}
}

func (o options) environment() []string {
	environment := []string{fmt.Sprintf("PULUMI_NODEJS_TYPESCRIPT=%t", o.typeScript)}
	if o.tsConfig != "" {
		environment = append(environment, "PULUMI_NODEJS_TSCONFIG_PATH="+o.tsConfig)
	}

	return environment
}

// packageManager is the one that Pulumi.yaml names, else the one whose lock file is there.
func packageManager(info *pulumirpc.ProgramInfo) string {
	if wished := optionsOf(info).packageManager; wished != "" {
		return wished
	}
	for file, manager := range map[string]string{"yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm"} {
		if _, err := os.Stat(filepath.Join(info.GetProgramDirectory(), file)); err == nil {
			return manager
		}
	}

	return "npm"
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
