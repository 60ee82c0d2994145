import { randomBytes } from "node:crypto";
import type { Context } from "../contract/types";
import { named, type Peer } from "../machine/machine";
import type { Connection } from "../ssh";
import { type Act, forgetStep, plan, runAct, runSteps } from "../steps";
import { query } from "../steps/query";
import { chooseSnapshotScript, restoreErrors } from "./restore-acts";
import { etcdRestoreSteps } from "./restore-settings";
import type { EtcdBackupSpec, EtcdRestoreSpec } from "./spec";

/** A control-plane node, and the connection to it. */
export interface Reached extends Peer {
    link: Connection;
}

interface Place {
    spec: EtcdRestoreSpec;
    turn: number;
}

/** What restic needs to read the repository. */
export async function placeSettings(
    { name, link }: Reached,
    { spec: { clusterId, backup }, turn }: Place,
    context: Context,
): Promise<void> {
    const spec: EtcdBackupSpec = { clusterId, name, turn, backup };
    // Their fingerprints stay nowhere.
    const steps = plan(etcdRestoreSteps, spec, randomBytes(16).toString("hex"));
    const { report, signal } = context;
    await named(name, async () => {
        for (const { id } of steps) await forgetStep(link, id);
        await runSteps(steps, { node: name, clusterId, connection: link, done: {}, report, signal });
        // The journal is for what stays: the files belong to the snapshots of the node.
        for (const { id } of steps) await forgetStep(link, id);
    });
}

/** Id and revision of the snapshot, if it belongs to the cluster's keys: those on the machine, or those of `spec.ontoNew`. */
export async function choose({ name, link }: Reached, { snapshot, ontoNew }: EtcdRestoreSpec, { report }: Context) {
    report("choose the snapshot");
    const said = await query(link, {
        ...{ step: "choose the snapshot", script: chooseSnapshotScript },
        env: { SNAPSHOT: snapshot, IDENTITY: ontoNew?.identity ?? "-" },
        ...{ timeoutSeconds: 300, node: name, errors: restoreErrors },
    });
    const [id = "", revision = "0", time = ""] = said.trim().split("\n").at(-1)!.split(" ");
    report(`restore the snapshot ${id} of ${time}`);
    return { id, revision: Number(revision) };
}

export function carryOut(act: Act, node: string, connection: Connection, clusterId: string, context: Context) {
    const { report, signal } = context;
    return named(node, () => runAct(act, { node, clusterId, connection, report, signal }));
}
