import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookFacts, HookNode } from "../../../../../../provider/operation/hooks/contract";
import { type EtsiEvent, etsiName, eventOf, type HookMoment } from "../../../../../../provider/operation/hooks/events";

export const node = (name: string, serverId = `server-${name}`): HookNode => ({
    name,
    role: name.startsWith("m") ? "controlPlane" : "worker",
    ...(!name.startsWith("m") && { pool: name.startsWith("e") ? "edge" : "workers" }),
    address: `10.0.0.${name.charCodeAt(0)}`,
    serverId,
});

const nodes = (...names: string[]) => names.map(name => node(name));

type Change = Partial<HookFacts["nodes"]> & Partial<HookFacts["operation"]>;

/** Facts of an operation on a cluster "core". */
export function factsOf(kind: HookFacts["operation"]["kind"], moment: HookMoment, change: Change = {}): HookFacts {
    const { before = nodes("m1", "w1"), after = nodes("m1", "w1"), added = [], removed = [], replaced = [] } = change;
    const { rollbackOf, direction, reasons = ["w1 is lost"] } = change;
    const event = eventOf({ kind, rollbackOf }, moment);
    return {
        apiVersion: "pulumi-nfv/v1",
        event,
        etsiEvent: etsiName(event),
        hook: "mgmt",
        operation: { id: "7", kind, direction, rollbackOf, added, removed, replaced, changed: [], reasons },
        nodes: { before, after, added, removed, replaced },
        cluster: { id: "c0ffee", name: "core" },
        stack: { project: "site", name: "dev" },
        parameters: { colour: "blue" },
        errorHandlingData: {},
        attempt: 1,
        interrupted: false,
    };
}

/** Scaling out the workers from w1 to w2 and w3. */
export const scaleOut = (moment: HookMoment) =>
    factsOf("scale", moment, { after: nodes("m1", "w1", "w2", "w3"), added: ["w2", "w3"], direction: "out" });

export const packages = {
    current: { flavourId: "simple", descriptor: { vnfdId: "vnfd-1", provider: "Us", productName: "Core" } },
};

const hook = "{ implementation: our-script }";

/** A VNF descriptor with the script `Scripts/hook.py` at these events. */
export function vnfd(events: readonly EtsiEvent[], { flavour = "simple", file = "../Scripts/hook.py" } = {}): string {
    return `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings: { node_type: our.VNF, properties: { flavour_id: ${flavour} } }
  node_templates:
    VNF:
      type: our.VNF
      properties: { descriptor_id: vnfd-1, provider: Us, software_version: '1.0' }
      interfaces:
        Vnflcm:
          heal_start: []
${events.map(event => `          ${event}: ${hook}`).join("\n")}
      artifacts:
        our-script: { type: tosca.artifacts.Implementation.Python, file: ${file} }
`;
}

export const meta = "TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nEntry-Definitions: Definitions/vnfd.yaml\n";

/** Folders of a test, removed after it. */
export class Folders {
    private readonly made: string[] = [];

    /** A package with these files; the descriptor and the meta file are there unless given otherwise. */
    package(files: Record<string, string>): string {
        const folder = this.empty();
        const all = { "TOSCA-Metadata/TOSCA.meta": meta, "Definitions/vnfd.yaml": vnfd(["scale_end"]), ...files };
        for (const [name, text] of Object.entries(all)) {
            mkdirSync(dirname(join(folder, name)), { recursive: true });
            writeFileSync(join(folder, name), text);
        }
        return folder;
    }

    empty(): string {
        const folder = mkdtempSync(join(tmpdir(), "pulumi-nfv-test-"));
        this.made.push(folder);
        return folder;
    }

    remove(): void {
        for (const folder of this.made.splice(0)) rmSync(folder, { recursive: true, force: true });
    }
}
