import { NfvError } from "../errors";
import { memberFile } from "../kubeadm/paths";
import type { Connection } from "../ssh";
import type { Fingerprints } from "../steps/types";
import { at, unknownValue } from "./values";

interface Machine {
    spec: { name: string; clusterId: string; kubernetesVersion: string };
}

/** The former and the new version if the program gives an existing machine of the same cluster another one. */
function versionChange(olds: Machine, news: Machine): { from: string; to: string } | undefined {
    const [from, to] = [olds, news].map(each => at(each, "spec.kubernetesVersion") as string | undefined);
    const [before, after] = [olds, news].map(each => at(each, "spec.clusterId"));
    if (from === undefined || to === undefined || to === unknownValue || from === to) return undefined;
    return before === after || after === unknownValue ? { from, to } : undefined;
}

function refusal(node: string, { from, to }: { from: string; to: string }): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        node,
        cause: `kubernetes.version: upgrades are not there yet: this node runs ${from}, ${to} is asked for; nothing was touched`,
        hint: `Set kubernetes.version back to ${from}, or make a new cluster with ${to} beside this one.`,
    });
}

/**
 * Refuses another version for a member: it would only replace files under a running node. Before the first successful
 * join the version may be corrected. Called by diff, so that the preview already refuses.
 */
export function refuseUpgrade(olds: Machine & { done?: Fingerprints }, news: Machine): void {
    const change = versionChange(olds, news);
    if (change !== undefined && olds.done?.["cluster.join"] !== undefined) throw refusal(news.spec.name, change);
}

/** The same for a Host, whose state does not say whether the machine is a node already, so the machine is asked. */
export async function refuseUpgradeOfMember(olds: Machine, news: Machine, connection: Connection): Promise<void> {
    const change = versionChange(olds, news);
    if (change === undefined) return;
    const { code } = await connection.exec(["test", "-s", memberFile], { timeoutSeconds: 30 });
    if (code === 0) throw refusal(news.spec.name, change);
}
