import { rmSync, writeFileSync } from "node:fs";
import type { HookContext, MgmtDriver } from "pulumi-nfv";

const file = "inventory.json";

/** A `…Start` that throws fails the operation before anything has changed. */
function requireLicences({ nodes, parameters }: HookContext): void {
    const workers = nodes.after.filter(({ role }) => role === "worker");
    const licences = Number(parameters["licences"]);
    if (workers.length > licences) throw new Error(`${workers.length} workers need more than ${licences} licences`);
}

/** For other tools of the site. */
function writeInventory({ nodes, cluster, log }: HookContext): void {
    writeFileSync(file, JSON.stringify({ cluster: cluster.name, nodes: nodes.after }, undefined, 4));
    log(`${file} has ${nodes.after.length} nodes`);
}

const driver: MgmtDriver = {
    instantiateStart: requireLicences,
    instantiateEnd: writeInventory,
    scaleStart: requireLicences,
    scaleEnd: writeInventory,
    healEnd: writeInventory,
    terminateEnd: () => rmSync(file, { force: true }),
};

export default driver;
