import { NfvError } from "../../common/errors";
import { whyNotNew } from "../../etcd/departed-control-plane";
import type { OntoNewSpec } from "../../etcd/spec";
import { named } from "../../machine/machine";
import { programMasters } from "../../machine/program-masters";
import { query } from "../../steps/query";
import { actOn, type Reached, type RequestRun } from "../reached";
import { fetchSeed, seedScript } from "./restore-acts";
import { backupOf, type EtcdRestoreInputs } from "./restore-state";
import { choose, placeSettings } from "./settings";

interface Restore {
    program: EtcdRestoreInputs;
    ontoNew: OntoNewSpec;
    controlPlane: readonly Reached[];
}

/**
 * The first of the new machines gets the snapshot, with which its Node begins the cluster; the others join that. Nothing else is changed, so an error leaves
 * machines that are prepared, and no cluster. Returns the snapshot's id.
 */
export async function restoreOntoNew({ program, ontoNew, controlPlane }: Restore, run: RequestRun): Promise<string> {
    const { clusterId, context } = run;
    const { requestId, snapshot } = program;
    if (programMasters(context, clusterId) === undefined) {
        throw new NfvError({
            code: "RESTORE_FAILED",
            step: `etcdRestore "${requestId}" onto new machines`,
            cause: "this run leaves out (--target or --exclude) what knows the former control-plane nodes, so whether they are gone was not asked; nothing was changed",
            hint: "Run pulumi up without --target and --exclude.",
        });
    }
    // Asked again: machines may have come back while the new ones were prepared. Here none of these is a member yet.
    const refusal = await whyNotNew(clusterId, { word: requestId, begun: false }, context);
    if (refusal !== undefined) throw refusal;
    const first = controlPlane[0]!;
    const { name, link } = first;
    const step = "look for a snapshot that is there already";
    const there = await named(name, () => query(link, { step, script: seedScript, timeoutSeconds: 30, node: name }));
    const [seen, fetched, version] = there.trim().split(" ");
    // "latest" may mean another one by now
    const known = seen === requestId ? fetched : undefined;
    if (known !== undefined && version === ontoNew.kubernetesVersion) return known;
    await placeSettings([first], backupOf(program), run);
    const id = known ?? (await choose(first, { snapshot, identity: ontoNew.identity }, run)).id;
    await actOn(first, fetchSeed(requestId, id, ontoNew), run);
    context.note(
        `${name} begins the cluster with the snapshot ${id}. When the run has ended, run pulumi up --refresh: it makes again what the program has and the snapshot did not, such as nodes and labels that came since`,
    );
    return id;
}
