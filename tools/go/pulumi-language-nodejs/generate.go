package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GeneratePackage writes an SDK as an npm package, for "pulumi package add" and "pulumi package gen-sdk".
func (h *host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	loader, err := schema.NewLoaderClient(request.GetLoaderTarget())
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.GetSchema()), &spec); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	cached := schema.NewCachedLoader(loader)
	bound, said, err := schema.BindSpec(spec, cached, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	answer := &pulumirpc.GeneratePackageResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(said)}
	if said.HasErrors() {
		return answer, nil
	}
	files, err := nodejs.GeneratePackage(
		"pulumi-language-nodejs", bound, request.GetExtraFiles(), request.GetLocalDependencies(), request.GetLocal(), cached,
	)
	if err != nil {
		return nil, err
	}

	return answer, write(request.GetDirectory(), files)
}

func write(folder string, files map[string][]byte) error {
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}

	return nil
}

// Link adds generated packages to the dependencies of a program.
func (h *host) Link(ctx context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	folder := request.GetInfo().GetProgramDirectory()
	manager, err := packageManager(request.GetInfo())
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, each := range request.GetPackages() {
		package_, readable := readManifest(filepath.Join(folder, each.GetPath()))
		if !readable {
			if package_, readable = readManifest(each.GetPath()); !readable {
				return nil, fmt.Errorf("%s is no npm package", each.GetPath())
			}
		}
		install := command(ctx, manager, "add", "file:"+each.GetPath())
		install.Dir = folder
		if said, err := install.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(install.Args, " "), err, said)
		}
		local := strings.ReplaceAll(package_.Name[strings.LastIndex(package_.Name, "/")+1:], "-", "_")
		imports = append(imports, fmt.Sprintf("import * as %s from %q;\n", local, package_.Name))
	}

	return &pulumirpc.LinkResponse{
		ImportInstructions: "You can import it with\n\n  " + strings.Join(imports, "  "),
	}, nil
}
