import { isUnreachable, named } from "../../machine/machine";
import { waitForNodesScript } from "../../network/scripts";
import { forgetStep } from "../../steps";
import { query } from "../../steps/query";
import type { Reached, RequestRun } from "../reached";
import { carryOut } from "../stages";
import { cameBackScript, otherNodesScript, restartKubelet } from "./restore-acts";

export interface Restored {
    requestId: string;
    /** Id of the snapshot. */
    snapshot: string;
    controlPlane: readonly Reached[];
    workers: readonly Reached[];
}

/** Each kubelet registers its Node again if the snapshot does not know it; labels and taints of such nodes are set by the next refresh. */
export async function afterwards(
    { requestId, snapshot, controlPlane, workers }: Restored,
    run: RequestRun,
): Promise<void> {
    const { context } = run;
    const again = { act: () => restartKubelet, on: workers, atOnce: workers.length, toleratesUnreachable: true };
    for (const { name, reason } of await carryOut([again], { controlPlane }, run))
        context.warn(
            `${name}: kubelet was not restarted: ${reason}. If the cluster does not know the node: systemctl restart kubelet`,
        );
    const first = controlPlane[0]!;
    const nodes = [...controlPlane, ...workers];
    const all = nodes.map(({ name }) => name);
    const ask = (script: string, step: string, env: Record<string, string>) =>
        query(first.link, { script, step, env, timeoutSeconds: 360, node: first.name });
    // The next refresh finds that the labels are to be set: the snapshot may have none, or former ones.
    for (const { name, link } of nodes) {
        try {
            await named(name, () => forgetStep(link, "node.labels"));
        } catch (error) {
            if (!isUnreachable(error)) throw error;
        }
    }
    context.report("wait for the nodes");
    await ask(waitForNodesScript, "wait for the nodes", { NODES: all.sort().join("\n"), SECONDS_TO_WAIT: "300" });
    const others = (await ask(otherNodesScript, "look for other nodes", { NODES: all.join("\n") })).trim();
    if (others !== "")
        context.warn(
            `the snapshot has nodes that the program does not: ${others.split("\n").join(", ")}. Those that are gone: kubectl delete node NAME`,
        );
    const env = { WORD: requestId, SNAPSHOT: snapshot };
    const back = (await ask(cameBackScript, "look what came back", env)).trim();
    if (back !== "") context.warn(whatCameBack(back.split("\n")));
    context.note(
        "etcd was restored. Run pulumi up --refresh: it makes again what the program has and the snapshot did not, such as labels of nodes that joined since. " +
            "When all is well, delete /var/lib/etcd/before-restore-* on the control-plane nodes",
    );
}

/** So many are named. */
const mostNamed = 50;

/** Objects that were deleted since the snapshot: nothing deletes them again, and some act. */
function whatCameBack(objects: readonly string[]): string {
    const what =
        "Tokens that were ended are valid again, network functions that were removed run, and Clusters of Cluster API are worked on";
    if (objects[0] === "unknown")
        return `the API did not answer before, so what the snapshot has brought back is not known. ${what}: look for what the program does not have (docs/backup.md)`;
    const more = objects.length > mostNamed ? ` and ${objects.length - mostNamed} more` : "";
    return `the snapshot has brought back what had been deleted since: ${objects.slice(0, mostNamed).join(", ")}${more}. ${what}: delete what is not to be (docs/backup.md)`;
}
