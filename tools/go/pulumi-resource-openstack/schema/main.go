// Prints the plugin's schema.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfgen"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"

	"example.invalid/plugin-openstack/info"
)

func main() {
	sink := diag.DefaultSink(os.Stderr, os.Stderr, diag.FormatOptions{Color: colors.Never})
	spec, err := tfgen.GenerateSchema(info.Provider(), sink)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(spec); err != nil {
		log.Fatal(err)
	}
}
