// Package info gives terraform-provider-openstack the names of @pulumi/openstack 3.15.2.
package info

import (
	"strings"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	bridged "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
	"github.com/terraform-provider-openstack/terraform-provider-openstack/v3/openstack"
)

// Name and version of the npm package whose programs the plugin serves.
const (
	Name    = "openstack"
	Version = "3.15.2"
)

const longestName = 255

// Provider describes the plugin to the bridge.
func Provider() tfbridge.ProviderInfo {
	info := tfbridge.ProviderInfo{
		P:           bridged.NewProvider(openstack.Provider()),
		Name:        Name,
		DisplayName: "OpenStack",
		Description: "terraform-provider-openstack under the names of @pulumi/openstack " + Version,
		Version:     Version,
		License:     "Apache-2.0",
		GitHubOrg:   "terraform-provider-openstack",
		Config:      settings(),
		Resources:   map[string]*tfbridge.ResourceInfo{},
		DataSources: map[string]*tfbridge.DataSourceInfo{},
		// Keeps the schema generator from looking for upstream's documentation.
		UpstreamRepoPath: ".",
	}

	each(info.P.ResourcesMap(), resources, func(from, module, name string) {
		info.Resources[from] = &tfbridge.ResourceInfo{
			Tok:    tfbridge.MakeResource(Name, module, name),
			Fields: resourceFields[from],
		}
	}, &info)
	each(info.P.DataSourcesMap(), functions, func(from, module, name string) {
		info.DataSources[from] = &tfbridge.DataSourceInfo{
			Tok: tfbridge.MakeDataSource(Name, module, name),
		}
	}, &info)
	info.SetAutonaming(longestName, "-")

	return info
}

// each calls add for what has a name in the npm package, and makes the bridge ignore the rest.
func each(
	known shim.ResourceMap, names map[string]string, add func(from, module, name string), info *tfbridge.ProviderInfo,
) {
	known.Range(func(from string, _ shim.Resource) bool {
		if to, named := names[strings.TrimPrefix(from, Name+"_")]; named {
			module, name, _ := strings.Cut(to, "/")
			add(from, module, name)
		} else {
			info.IgnoreMappings = append(info.IgnoreMappings, from)
		}

		return true
	})
}

// settings are those of the provider that environment variables set, too.
func settings() map[string]*tfbridge.SchemaInfo {
	fromEnvironment := map[string]*tfbridge.SchemaInfo{}
	for setting, variable := range map[string]string{
		"allow_reauth":  "OS_ALLOW_REAUTH",
		"cloud":         "OS_CLOUD",
		"delayed_auth":  "OS_DELAYED_AUTH",
		"endpoint_type": "OS_ENDPOINT_TYPE",
		"insecure":      "OS_INSECURE",
		"region":        "OS_REGION_NAME",
		"swauth":        "OS_SWAUTH",
	} {
		fromEnvironment[setting] = &tfbridge.SchemaInfo{
			Default: &tfbridge.DefaultInfo{EnvVars: []string{variable}},
		}
	}

	return fromEnvironment
}

// resourceFields are those that the bridge would name or type otherwise than the npm package.
var resourceFields = map[string]map[string]*tfbridge.SchemaInfo{
	"openstack_compute_servergroup_v2": {"policies": {MaxItemsOne: tfbridge.False()}},
	"openstack_orchestration_stack_v1": {"outputs": {Name: "StackOutputs"}},
}
