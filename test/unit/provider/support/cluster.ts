import { type ResourceTypeName, resourceType } from "../../../../provider/adapters/descriptors";
import type { HostSpec, NodeSpec, Role } from "../../../../provider/common/model";
import { RunSession } from "../../../../provider/common/run-session";
import { giveUpVariable } from "../../../../provider/contract/give-up";
import { runFacts } from "../../../../provider/contract/run-facts";
import type { Checked, Context, InSession } from "../../../../provider/contract/types";
import type { HostInputs } from "../../../../provider/host/host-state";
import { hostSteps } from "../../../../provider/host/host-steps";
import { lookAgain } from "../../../../provider/kubeadm/look";
import { readyPatience } from "../../../../provider/machine/another-machine";
import { patience } from "../../../../provider/machine/control-plane-ready";
import type { Peer } from "../../../../provider/machine/machine";
import { programMasters } from "../../../../provider/machine/program-masters";
import type { NodeInputs } from "../../../../provider/member/node-state";
import { nodeSteps } from "../../../../provider/member/node-steps";
import type { SshTarget } from "../../../../provider/ssh";
import { pauses } from "../../../../provider/ssh/dial";
import { plan, stepTitles } from "../../../../provider/steps";
import { clusterKeys, type Identity, publicIdentity } from "../identity/made-identity";
import { plainNode } from "../sample-specs";

// Control-plane nodes that do not answer never recover in tests, so do not wait for them: one that refuses is tried once.
patience.seconds = 0;
lookAgain.pauseSeconds = 0;
Object.assign(readyPatience, { seconds: 0, pause: 0 });
pauses.firstMs = 5000;

let current = new RunSession();

/** A context of the current run that records its messages. */
export function listener(session = current): Context & { said: string[]; warned: string[]; noted: string[] } {
    const said: string[] = [];
    const warned: string[] = [];
    const noted: string[] = [];
    return {
        urn: "",
        session,
        said,
        warned,
        noted,
        report: text => void said.push(text),
        warn: text => void warned.push(text),
        note: text => void noted.push(text),
    };
}

/** The program of the run has this, as if Pulumi had checked it. */
export function checked(
    context: InSession,
    type: string,
    news: { resourceUrn?: string },
    olds: Record<string, unknown> = {},
): void {
    runFacts(context).program.note(type, news.resourceUrn ?? "", { olds, news });
}

/** Calls the type's check as its host does. */
export function checkAs<Inputs extends object>(
    type: ResourceTypeName,
    olds: Partial<Inputs>,
    news: Inputs,
    context: InSession = listener(),
): Checked<Inputs> {
    checked(context, type, news, olds as Record<string, unknown>);
    return resourceType(type).check(olds, news, context) as Checked<Inputs>;
}

/** What the last operation of the cluster "c0ffee" has left, as its program found it. */
export const checkedBefore = (context: InSession, before: object) =>
    checked(context, "OperationStart", {
        resourceUrn: "urn::OperationStart",
        spec: { clusterId: "c0ffee" },
        before,
    } as object);

/** The control-plane nodes of the program, as if Pulumi had checked them. `before`: there was another run. */
export function checkedMasters(
    context: InSession,
    clusterId: string,
    departed: readonly Peer[],
    wanted: readonly Peer[],
    before = false,
): void {
    const news = { resourceUrn: `urn:masters::${clusterId}`, clusterId, peers: JSON.stringify(wanted) };
    checked(context, "Masters", news, { formers: departed, ...(before && { peers: "[]" }) });
}

/** Closes the current run's connections. The next `listener()` belongs to another run. */
export async function endRun(): Promise<void> {
    const ended = current;
    current = new RunSession();
    await ended.close();
}

/** Does the work while these are given up: full names, separated by commas. */
export async function withGivenUp<T>(names: string, work: () => Promise<T>): Promise<T> {
    process.env[giveUpVariable] = names;
    try {
        return await work();
    } finally {
        delete process.env[giveUpVariable];
    }
}

const network = { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16", dnsDomain: "cluster.local" };
const endpoint = { host: "10.99.0.100", port: 16443 };

export { coreIdentity as testIdentity } from "../identity/made-identity";

/** Inputs of a machine's two resources, as the component would make them. */
export function machine(
    owner: Identity,
    name: string,
    role: Role,
    connection: SshTarget,
    masters: Record<string, SshTarget>,
    changes: Partial<NodeSpec> = {},
): { host: HostInputs; node: NodeInputs } {
    const known = publicIdentity(owner);
    const common = {
        clusterId: owner.clusterId,
        clusterName: "core",
        name,
        role,
        address: "10.99.0.11",
        kubernetesVersion: "1.34.4",
        endpoint,
        network,
    };
    const hostSpec: HostSpec = {
        ...common,
        caCertHash: known.caCertHash,
        source: { image: {} },
        masters: Object.keys(masters).map(master => ({ name: master, address: "10.99.0.11" })),
        registries: [],
        trustedCertificates: [],
        sysctls: {},
        sandboxImage: "",
    };
    const nodeSpec: NodeSpec = {
        ...common,
        identity: known,
        ...(role === "controlPlane" && { keys: clusterKeys(owner) }),
        ...plainNode,
        drain: { timeoutSeconds: 5, policy: "fail" },
        ...changes,
    };
    const { fingerprintKey } = owner;
    const controlPlane = Object.entries(masters).map(([peer, target]) => ({ name: peer, connection: target }));
    // In a program the check of Masters comes before all machines.
    if (programMasters(listener(), owner.clusterId) === undefined)
        checkedMasters(listener(), owner.clusterId, [], controlPlane);
    return {
        host: {
            spec: hostSpec,
            connection,
            fingerprintKey,
            steps: stepTitles(plan(hostSteps, hostSpec, fingerprintKey)),
        },
        node: {
            spec: nodeSpec,
            connection,
            controlPlane,
            fingerprintKey,
            steps: stepTitles(plan(nodeSteps("join"), nodeSpec, fingerprintKey)),
        },
    };
}
