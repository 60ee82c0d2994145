package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// manifest is the part of a package.json that matters here.
type manifest struct {
	Name            string            `json:"name"`
	Version         string            `json:"version"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Pulumi          *struct {
		Resource         bool   `json:"resource"`
		Name             string `json:"name"`
		Version          string `json:"version"`
		Server           string `json:"server"`
		Parameterization *struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Value   []byte `json:"value"`
		} `json:"parameterization"`
	} `json:"pulumi"`
}

func readManifest(folder string) (manifest, bool) {
	var found manifest
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return found, false
	}

	return found, json.Unmarshal(text, &found) == nil
}

// GetRequiredPackages finds the plugins that the installed npm packages need.
func (h *host) GetRequiredPackages(
	_ context.Context, request *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	found := map[string]*pulumirpc.PackageDependency{}
	eachPackage(request.GetInfo(), func(_ string, package_ manifest) {
		if wanted := dependencyOf(package_); wanted != nil {
			found[wanted.String()] = wanted
		}
	})

	return &pulumirpc.GetRequiredPackagesResponse{Packages: sorted(found)}, nil
}

// GetRequiredPlugins is the question of older engines.
func (h *host) GetRequiredPlugins(
	ctx context.Context, request *pulumirpc.GetRequiredPluginsRequest,
) (*pulumirpc.GetRequiredPluginsResponse, error) {
	found, err := h.GetRequiredPackages(ctx, &pulumirpc.GetRequiredPackagesRequest{Info: request.GetInfo()})
	if err != nil {
		return nil, err
	}
	var plugins []*pulumirpc.PluginDependency
	for _, each := range found.GetPackages() {
		plugins = append(plugins, &pulumirpc.PluginDependency{
			Name: each.GetName(), Kind: each.GetKind(), Version: each.GetVersion(), Server: each.GetServer(),
		})
	}

	return &pulumirpc.GetRequiredPluginsResponse{Plugins: plugins}, nil
}

func dependencyOf(package_ manifest) *pulumirpc.PackageDependency {
	said := package_.Pulumi
	if said == nil || !said.Resource {
		return nil
	}
	wanted := &pulumirpc.PackageDependency{
		Kind:    "resource",
		Name:    orElse(said.Name, strings.TrimPrefix(package_.Name, "@pulumi/")),
		Version: orElse(said.Version, package_.Version),
		Server:  said.Server,
	}
	if extra := said.Parameterization; extra != nil {
		wanted.Parameterization = &pulumirpc.PackageParameterization{
			Name: extra.Name, Version: extra.Version, Value: extra.Value,
		}
	}

	return wanted
}

// GetProgramDependencies names the npm packages of a program: its own, or all that are installed.
func (h *host) GetProgramDependencies(
	_ context.Context, request *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	folder := request.GetInfo().GetProgramDirectory()
	own, _ := readManifest(folder)
	found := map[string]*pulumirpc.DependencyInfo{}
	eachPackage(request.GetInfo(), func(_ string, package_ manifest) {
		_, direct := own.Dependencies[package_.Name]
		_, development := own.DevDependencies[package_.Name]
		if direct || development || request.GetTransitiveDependencies() {
			found[package_.Name] = &pulumirpc.DependencyInfo{Name: package_.Name, Version: package_.Version}
		}
	})

	return &pulumirpc.GetProgramDependenciesResponse{Dependencies: sorted(found)}, nil
}

// eachPackage calls found for each package in the node_modules of a program, of the folders above it up to its project's,
// and of the packages themselves. Packages above the project may belong to others, and so would their plugins.
func eachPackage(info *pulumirpc.ProgramInfo, found func(folder string, package_ manifest)) {
	seen := map[string]bool{}
	for at := info.GetProgramDirectory(); ; at = filepath.Dir(at) {
		inside(filepath.Join(at, "node_modules"), seen, found)
		if at == info.GetRootDirectory() || at == filepath.Dir(at) {
			return
		}
	}
}

func inside(modules string, seen map[string]bool, found func(string, manifest)) {
	entries, err := os.ReadDir(modules)
	if err != nil {
		return
	}
	for _, entry := range entries {
		folder := filepath.Join(modules, entry.Name())
		if strings.HasPrefix(entry.Name(), "@") {
			inside(folder, seen, found)
			continue
		}
		// Packages of workspaces are links.
		real, err := filepath.EvalSymlinks(folder)
		if err != nil || strings.HasPrefix(entry.Name(), ".") || seen[real] {
			continue
		}
		seen[real] = true
		if package_, readable := readManifest(real); readable {
			found(real, package_)
		}
		inside(filepath.Join(real, "node_modules"), seen, found)
	}
}

func sorted[T any](values map[string]T) []T {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	list := make([]T, 0, len(values))
	for _, key := range keys {
		list = append(list, values[key])
	}

	return list
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}

	return value
}
