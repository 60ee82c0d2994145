// The plugin of @pulumi/openstack 3.15.2: terraform-provider-openstack behind Pulumi's Terraform bridge.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"

	"example.invalid/plugin-openstack/info"
)

// schema is written by the program in the folder schema, before this one is built.
//
//go:embed schema.json
var schema []byte

func main() {
	tfbridge.Main(info.Name, info.Version, info.Provider(), schema)
}
