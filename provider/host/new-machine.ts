import { type ErrorCode, errorCodes, NfvError } from "../common/errors";
import type { HostSpec } from "../common/model";
import { checkVirtualAddress } from "../endpoint/check-virtual-address";
import { checkVirtualRouterId } from "../endpoint/configure-load-balancer";
import { carriesLoadBalancer } from "../endpoint/install-load-balancer";
import { inTheWay } from "../kubeadm/foreign-software";
import { machineStatusQuery } from "../kubeadm/look";
import { type MachineStatus, parseMachineStatus } from "../kubeadm/machine-status";
import { ownershipOf } from "../kubeadm/ownership";
import { repositoryLook } from "../node/kubernetes/kubernetes-packages";
import { imageLook } from "../node/kubernetes/stage-kubernetes";
import {
    clockLimits,
    parseSystem,
    type SystemWish,
    systemArgv,
    systemProblems,
    systemQuery,
    systemWarning,
} from "../node/system-facts";
import type { Connection } from "../ssh";
import { queryTogether } from "../steps/queries";
import { type Query, query } from "../steps/query";
import type { Step, StepFactory } from "../steps/types";

/** What the program wants of a machine that is new to the state. */
export type MachineWish = Pick<HostSpec, "name"> &
    SystemWish & {
        /** Addresses of the new control-plane nodes: they may have the virtual address. */
        masters: HostSpec["masters"];
        /** Id of the cluster. Undefined: it was not made yet, so no machine can be its own. */
        clusterId?: string;
        /** The machine gets a proxy, so what it reaches without one proves nothing. */
        proxied?: true;
    };

/** More than any machine says that is one of those that we know. */
const maxBytes = 1024 * 1024;

/** A cluster without an id yet has none on its machines. */
const noCluster = "(a cluster that is not made yet)";

/** What a preview says of a machine. */
export interface Findings {
    /** Why it cannot become the wanted node. */
    problems: string[];
    /** What does not keep it from that today. */
    warning?: string;
}

/**
 * Everything that keeps a machine from becoming the wanted node, in one round trip over one connection. Nothing is written there.
 * @throws CONNECT_FAILED and similar codes
 */
export async function lookAtNew(wish: MachineWish, connection: Connection): Promise<Findings> {
    const looks = [
        imageLook(wish),
        wish.proxied ? undefined : repositoryLook(wish),
        // Only a new cluster: later ones have the address themselves.
        ...(wish.clusterId === undefined
            ? [asLook(checkVirtualAddress, wish), asLook(checkVirtualRouterId, wish)]
            : []),
    ].filter(each => each !== undefined);
    const asked = [machineStatusQuery(wish.address), systemQuery(wish), ...looks];
    const began = Date.now();
    const [status, system, ...others] = await queryTogether(connection, asked, { maxBytes });
    const now = (began + Date.now()) / 2000;
    if (typeof status !== "string") throw status!;
    const facts = parseMachineStatus(status);
    const { ownership, why } = ownershipOf({ clusterId: wish.clusterId ?? noCluster, name: wish.name, facts });
    // Ours: a run that was interrupted goes on there. Of another cluster's machine nothing else counts.
    if (ownership === "ours") return { problems: [] };
    if (ownership === "foreign") return { problems: [`FOREIGN_NODE: ${why}`] };
    const software = softwareInTheWay(wish as HostSpec, facts, true);
    const machine = typeof system === "string" ? parseSystem(system) : undefined;
    const warning = machine && systemWarning(machine, wish);
    const problems = [
        ...(software.length > 0 ? [`FOREIGN_SOFTWARE: found: ${software.join(", ")}`] : []),
        ...(typeof system !== "string" ? [`the look at its system failed: ${said(system!)}`] : []),
        // With our files on it, it was fit once, and what listens there is ours.
        ...(machine && !facts.isPrepared
            ? systemProblems({ facts: machine, wish, now, clockSeconds: clockLimits.preview })
            : []),
        ...others.flatMap(each =>
            typeof each === "string" || !tells.has(each.code) ? [] : [`${each.code}: ${said(each)}`],
        ),
    ];
    return { problems, ...(warning !== undefined && { warning }) };
}

/** The same of its system alone, at the first contact of a run that makes a node of it. @throws UNSUPPORTED_SYSTEM */
export async function refuseUnfit(wish: SystemWish & { name: string }, connection: Connection): Promise<void> {
    const facts = parseSystem(await query(connection, systemQuery(wish)));
    if (facts === undefined) return;
    const found = systemProblems({ facts, wish, now: Date.now() / 1000, clockSeconds: clockLimits.run });
    if (found.length === 0) return;
    const cause = `this machine cannot become the node; nothing on it was changed\n${found.join("\n")}`;
    throw new NfvError({ code: "UNSUPPORTED_SYSTEM", node: wish.name, cause });
}

/** What these answers mean is certain. Others say that it could not be asked, and the step of a run tells it. */
const tells = new Set<ErrorCode>(["VERSION_MISMATCH", "ADDRESS_IN_USE", "VRID_IN_USE"]);

/** A step that only looks, as a question. */
function asLook(factory: StepFactory<HostSpec>, wish: MachineWish): Query | undefined {
    const step = factory({ caCertHash: "", ...wish } as unknown as HostSpec) as Step | undefined;
    if (step?.run === undefined) return undefined;
    const { title, run: script, env, errors } = step;
    return {
        step: title,
        script,
        argv: systemArgv,
        timeoutSeconds: 10,
        ...(env && { env }),
        ...(errors && { errors }),
    };
}

/** The end of what a script said, without the words of the transport. */
function said({ output = "", reason }: NfvError): string {
    return output.trim().split("\n").slice(-3).join("; ") || reason;
}

/** A refusal of the connection, with what to do about it. */
export function whyNotReached({ code, reason, hint }: NfvError): string {
    return `${code}: ${reason}. ${hint === "" ? errorCodes[code].hint : hint}`;
}

/** Of a machine on which our load balancer was not yet installed. */
export function softwareInTheWay(spec: HostSpec, { software }: MachineStatus, isEmpty: boolean): string[] {
    return software === undefined ? [] : inTheWay(software, spec, { isEmpty, getsBalancer: carriesLoadBalancer(spec) });
}
