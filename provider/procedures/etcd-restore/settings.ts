import { randomBytes } from "node:crypto";
import { settingsFiles } from "../../etcd/snapshot-files";
import { installRestic } from "../../etcd/snapshot-steps";
import type { EtcdBackup, EtcdBackupSpec } from "../../etcd/spec";
import { named } from "../../machine/machine";
import { forgetStep, plan, runSteps } from "../../steps";
import { query } from "../../steps/query";
import type { StepFactory } from "../../steps/types";
import type { Reached, RequestRun } from "../reached";
import { chooseSnapshotScript, restoreErrors } from "./restore-acts";

/** What a restore reads the repository with. The snapshots of the node have the same files; these come last, and may not be there yet. */
const placeFiles: StepFactory<EtcdBackupSpec> = spec => ({
    id: "node.restore-settings",
    title: "place the settings of restic",
    revision: 1,
    files: settingsFiles(spec),
    timeoutSeconds: 60,
});

export const etcdRestoreSteps: StepFactory<EtcdBackupSpec>[] = [installRestic, placeFiles];

/** On all nodes at once. No stage of steps: these ask other control-plane nodes, and here the API may be away. */
export async function placeSettings(
    nodes: readonly Reached[],
    backup: EtcdBackup,
    { clusterId, context }: RequestRun,
): Promise<void> {
    const { report, signal } = context;
    const place = async ({ name, link }: Reached, turn: number) => {
        const spec: EtcdBackupSpec = { clusterId, name, turn, backup };
        // Their fingerprints stay nowhere.
        const steps = plan(etcdRestoreSteps, spec, randomBytes(16).toString("hex"));
        const forget = async () => {
            for (const { id } of steps) await forgetStep(link, id);
        };
        await named(name, async () => {
            await forget();
            await runSteps(steps, { node: name, clusterId, connection: link, done: {}, report, signal });
            // The journal is for what stays: the files belong to the snapshots of the node.
            await forget();
        });
    };
    await Promise.all(nodes.map(place));
}

/** `identity`: of the keys that the machine will have. @default those that it has */
interface Choice {
    snapshot: string;
    identity?: string | undefined;
}

/** Id and revision of the snapshot, if it belongs to the cluster's keys. */
export async function choose({ name, link }: Reached, { snapshot, identity = "-" }: Choice, { context }: RequestRun) {
    const { report } = context;
    report("choose the snapshot");
    const said = await query(link, {
        ...{ step: "choose the snapshot", script: chooseSnapshotScript },
        env: { SNAPSHOT: snapshot, IDENTITY: identity },
        ...{ timeoutSeconds: 300, node: name, errors: restoreErrors },
    });
    const [id = "", revision = "0", time = ""] = said.trim().split("\n").at(-1)!.split(" ");
    report(`restore the snapshot ${id} of ${time}`);
    return { id, revision: Number(revision) };
}
