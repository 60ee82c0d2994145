import { NfvError } from "../../common/errors";
import type { HostSpec } from "../../common/model";
import { at, unknownValue } from "../../contract/values";
import { memberFile } from "../../kubeadm/paths";
import { checkRepository } from "../../node/kubernetes/kubernetes-packages";
import type { Connection } from "../../ssh";
import type { Fingerprints } from "../../steps/types";
import { joinStep } from "../join/join-cluster";
import { refusalOf } from "./versions";

interface Machine {
    spec: { name: string; clusterId: string; kubernetesVersion: string };
}

/** The former and the new version if the program gives an existing machine of the same cluster another one. */
export function versionChange(olds: object, news: object): { from: string; to: string } | undefined {
    const [from, to] = [olds, news].map(each => at(each, "spec.kubernetesVersion") as string | undefined);
    const [before, after] = [olds, news].map(each => at(each, "spec.clusterId"));
    if (from === undefined || to === undefined || to === unknownValue || from === to) return undefined;
    return before === after || after === unknownValue ? { from, to } : undefined;
}

/** @throws INVALID_INPUT if no member of a cluster may go from one version to the other */
export function refuseMove(node: string, from: string, to: string): void {
    const refusal = refusalOf(from, to);
    if (refusal !== undefined) throw new NfvError({ code: "INVALID_INPUT", node, ...refusal });
}

/**
 * Refuses a version that a member cannot move to. Before the first successful join the version may be corrected. Called by diff, so
 * that the preview already refuses.
 */
export function refuseUpgrade(olds: Machine & { done?: Fingerprints }, news: Machine): void {
    const change = versionChange(olds, news);
    if (change !== undefined && olds.done?.[joinStep.id] !== undefined) {
        refuseMove(news.spec.name, change.from, change.to);
    }
}

interface HostMachine extends Machine {
    spec: Machine["spec"] & Pick<HostSpec, "source">;
}

/**
 * Why the host of a member cannot get the files of another version; undefined: it can, or it is no member's. Packages come from a repository, which is looked at
 * for a preview only: their step refuses the same. An image has one version. The machine is asked.
 * @throws if the repository could not be looked at
 */
export async function whyNotStaged(
    olds: object,
    news: HostMachine,
    machine: Connection,
    isPreview = true,
): Promise<string | undefined> {
    const change = versionChange(olds, news);
    if (change === undefined) return undefined;
    const { name, source } = news.spec;
    if (refusalOf(change.from, change.to) === undefined && source.bundle !== undefined) return undefined;
    const { code, stdout } = await machine.exec(["sh", "-c", memberAndVersion, "pulumi-nfv-staged", memberFile], {
        timeoutSeconds: 30,
    });
    if (code !== 0) return undefined;
    refuseMove(name, change.from, change.to);
    const what = `kubernetes.version ${change.from} to ${change.to}`;
    if (source.image === undefined) return isPreview ? whyNotInRepository(what, news, machine) : undefined;
    const has = stdout.trim().replace("Kubernetes v", "");
    if (has === change.to) return undefined;
    return (
        `${what}: with kubernetes.source.image nothing is installed, and kubelet on the machine is ${has || "not there"}. ` +
        `Put kubelet, kubeadm and kubectl of ${change.to} in their places on each machine first, without a restart of kubelet: its process goes on with the former file`
    );
}

async function whyNotInRepository(
    what: string,
    { spec }: HostMachine,
    machine: Connection,
): Promise<string | undefined> {
    try {
        await checkRepository(machine, spec);
        return undefined;
    } catch (error) {
        if (!(error instanceof NfvError) || error.code !== "VERSION_MISMATCH") throw error;
        return `${what}: ${error.output?.trim() || error.reason}`;
    }
}

/** FILE: that it is a member. Prints the version of kubelet's file. */
const memberAndVersion = '[ -s "$1" ] || exit 1; PATH=$PATH:/usr/local/bin; kubelet --version 2>/dev/null || true';

/** The same for a Host at the moment of action. @throws INVALID_INPUT before anything is put on the machine */
export async function refuseUpgradeOfMember(olds: Machine, news: HostMachine, connection: Connection): Promise<void> {
    const why = await whyNotStaged(olds, news, connection, false);
    if (why !== undefined) throw new NfvError({ code: "INVALID_INPUT", node: news.spec.name, cause: why });
}
