import type { GoGroup } from "./go-group";

const pulumi = "github.com/pulumi/pulumi";
const kubernetes = "github.com/pulumi/pulumi-kubernetes/provider/v4";
/** The newest code of the plugin that is published as a Go module. */
const kubernetesModule = `${kubernetes}@v4.0.0-20260115033456-f47bc2d6f199`;

/** A group that is built on the modules of the CLI. */
function onCliModules(
    version: string,
    { requires = [], ...group }: Omit<GoGroup, "requires" | "stamps"> & { requires?: string[] },
): GoGroup {
    return {
        ...group,
        goVersion: "1.25.11",
        requires: [`${pulumi}/pkg/v3@v${version}`, `${pulumi}/sdk/v3@v${version}`, ...requires],
        replaces: ["github.com/atotto/clipboard=github.com/tgummerer/clipboard@v0.0.0-20241001131231-d02d263e614e"],
        stamps: [`${pulumi}/sdk/v3/go/common/version.Version=v${version}`],
    };
}

/**
 * Pulumi's programs. Upstream publishes neither its language hosts nor its plugins as Go modules that could be built as they are: the
 * programs in tools/go stand in for them, each on modules that are published.
 */
export const pulumiGroups: Record<string, (version: string) => GoGroup[]> = {
    pulumi: version => [
        onCliModules(version, {
            name: "pulumi",
            programs: { pulumi: { package: `${pulumi}/pkg/v3/cmd/pulumi`, usualSeconds: 230 } },
        }),
        onCliModules(version, {
            name: "pulumi-language-nodejs",
            requires: ["github.com/google/shlex@v0.0.0-20191202100458-e7afc7fbc510"],
            sources: "pulumi-language-nodejs",
            // After the CLI, with which it shares most packages.
            programs: { "pulumi-language-nodejs": { package: ".", usualSeconds: 10 } },
            code: "the language host is this package's own",
        }),
    ],
    "plugin-kubernetes": only("4.32.0", {
        name: "plugin-kubernetes",
        goVersion: "1.25.0",
        requires: [kubernetesModule],
        sources: "pulumi-resource-kubernetes",
        embedded: {
            module: kubernetesModule,
            files: Object.fromEntries(
                ["schema.json", "terraform-mapping.json"].map(file => [file, `cmd/pulumi-resource-kubernetes/${file}`]),
            ),
        },
        programs: { "pulumi-resource-kubernetes": { package: ".", usualSeconds: 370 } },
        stamps: [`${kubernetes}/pkg/version.Version=v4.32.0`],
        code: "code of 2026-01-15, between 4.24.1 and 4.25.0, under the number 4.32.0",
    }),
    "plugin-openstack": only("3.15.2", {
        name: "plugin-openstack",
        goVersion: "1.25.0",
        requires: [
            "github.com/pulumi/pulumi-terraform-bridge/v3@v3.120.0",
            `${pulumi}/sdk/v3@v3.218.0`,
            "github.com/terraform-provider-openstack/terraform-provider-openstack/v3@v3.4.0",
        ],
        replaces: [
            "github.com/hashicorp/terraform-plugin-sdk/v2=github.com/pulumi/terraform-plugin-sdk/v2@v2.0.0-20250923233607-7f1981c8674a",
        ],
        sources: "pulumi-resource-openstack",
        generated: { file: "schema.json", package: "./schema", usualSeconds: 95 },
        programs: { "pulumi-resource-openstack": { package: ".", usualSeconds: 5 } },
        stamps: [],
        code: "terraform-provider-openstack 3.4.0 under the names and the number of 3.15.2",
    }),
};

/** For one version only: the code has the names, or takes the number, of that one. */
function only(version: string, group: GoGroup): (version: string) => GoGroup[] {
    return wanted => (wanted === version ? [group] : []);
}
