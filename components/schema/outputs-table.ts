import type { Property } from "./generate";
import { cell, shortName, typeText } from "./inputs-table";

/** docs/outputs.md, generated from schema.json. */

interface Schema {
    resources: Record<string, { description: string; properties: Record<string, Property> }>;
}

const intro = `# Outputs

Generated from \`schema.json\` by \`npx tsx components/schema/write.ts\`; do not edit. The components' Pulumi outputs. *secret* values
are encrypted in the state and shown as \`[secret]\`. The inputs: [inputs.md](inputs.md).

\`\`\`ts
import * as nfv from "pulumi-nfv";

const core = new nfv.KubernetesCluster("core", {
    infrastructure: { hosts: { controlPlane: { m1: { address: "10.0.0.11" } } } },
    kubernetes: { version: "1.36.3" },
});

export const kubeconfig = core.kubeconfig;          // pulumi stack output kubeconfig --show-secrets > kubeconfig
export const token = core.vim.bearerToken;
export const connection = core.vim.vimConnectionInfo;
\`\`\`

The property \`provider\` of a \`Vim\` is no output: it is a \`Provider\` of @pulumi/kubernetes with this access, for resources of your own:
\`new kubernetes.core.v1.ConfigMap("…", { … }, { provider: core.vim.provider })\`.
`;

export function outputsTable(schema: Schema): string {
    const sections = Object.entries(schema.resources).map(([token, { description, properties }]) => {
        const rows = Object.entries(properties).map(
            ([name, property]) =>
                `| \`${name}\` | ${typeText(property)}${property.secret ? " *secret*" : ""} | ${cell(property.description ?? "")} |`,
        );
        return [
            `## ${shortName(token)}`,
            "",
            description,
            "",
            "| Output | Type | Meaning |",
            "|---|---|---|",
            ...rows,
            "",
        ].join("\n");
    });
    return [intro, ...sections].join("\n");
}
