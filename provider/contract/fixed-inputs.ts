import type { CheckFailure } from "./types";
import { unknownValue } from "./values";

/** An input whose value a cluster keeps for its whole life. */
export interface FixedInput {
    /** The damage that a change would do to a cluster in use. */
    why: string;
    /** What to do if the change is wanted, besides setting the value back. */
    instead: string;
    /** Changes that are harmless. @default none */
    allows?: (from: string, to: string) => boolean;
}

const secondCluster = "make a second KubernetesCluster beside this one and move the workload";
const kubeadmOnly = "kubeadm takes it at the first init only";
const network = "every port and server stands in it: the cloud would make all of them again";

const encryptionInput = "controlPlane.encryptionAtRest.enabled";

/** Inputs of cloud servers, under `infrastructure.heat` or `.nova`. */
const ofServers: Record<string, FixedInput> = {
    region: { why: "the cloud would make everything again, in another place", instead: secondCluster },
    "network.network": { why: network, instead: secondCluster },
    "network.subnet": { why: network, instead: secondCluster },
    "network.cidr": { why: network, instead: secondCluster },
    keyPair: {
        why: "the cloud would make every server again",
        instead: `add the key to the servers' authorized_keys, or ${secondCluster}`,
    },
};

/**
 * Flags that set a component's data or networks: with them a user could change a fixed input, or etcd's data, after
 * all.
 */
export const fixedFlags: Record<string, readonly string[]> = {
    apiServer: ["service-cluster-ip-range", "etcd-prefix", "secure-port", "storage-backend"],
    controllerManager: [
        "cluster-cidr",
        "service-cluster-ip-range",
        "allocate-node-cidrs",
        "node-cidr-mask-size",
        "node-cidr-mask-size-ipv4",
        "node-cidr-mask-size-ipv6",
    ],
    etcd: ["data-dir", "wal-dir", "name", "listen-client-urls", "listen-peer-urls", "initial-advertise-peer-urls"],
    kubelet: ["root-dir", "hostname-override"],
};

const flagRows = Object.entries(fixedFlags).flatMap(([component, flags]) =>
    flags.map((flag): [string, FixedInput] => [
        `controlPlane.extraArgs.${component}.${flag}`,
        {
            why: `${component} would no longer find what it has, or not fit the nodes that run`,
            instead: secondCluster,
        },
    ]),
);

/**
 * Inputs that cannot be changed, by their names in docs/inputs.md. `clusterIdResource` refuses a change at preview,
 * because all other resources of a cluster wait for it. components/kubernetes-cluster/fixed-values.ts reads their values. States contain
 * the names.
 */
export const fixedInputs: Record<string, FixedInput> = {
    clusterName: {
        why: "another name would be another cluster: all keys and all nodes would be made again",
        instead: secondCluster,
    },
    serverName: {
        why: "another name would be another storage server: the marks of the volumes would be somebody else's, and the cloud would make server and volumes again",
        instead: "make a second StorageServer beside this one and copy the data",
    },
    ...Object.fromEntries(
        ["heat", "nova"].flatMap(backEnd =>
            Object.entries(ofServers).map(([name, row]) => [`infrastructure.${backEnd}.${name}`, row]),
        ),
    ),
    "infrastructure.heat.stackName": { why: "Heat would make every server again", instead: secondCluster },
    "infrastructure.heat.template": { why: "Heat would make every server again", instead: secondCluster },
    "kubernetes.source": {
        why: "programs from two origins would lie on every node, and the running ones would be replaced on all nodes at once",
        instead: secondCluster,
    },
    "kubernetes.containerRuntime.from": {
        why: "containers run on the bundle's containerd, and an older one of the distribution may not know its data",
        instead: "let nodes leave and come back as nodes of a cluster that has the distribution's",
        allows: (_from, to) => to === "bundle",
    },
    [encryptionInput]: {
        why: "Secrets that are encrypted in etcd could not be read any more",
        instead: secondCluster,
        allows: (_from, to) => to === "true",
    },
    "network.podCidr": {
        why: `${kubeadmOnly}; nodes and pods have addresses of the present one, and the controller managers would not start`,
        instead: secondCluster,
    },
    "network.serviceCidr": {
        why: `${kubeadmOnly}; Services have addresses of the present one`,
        instead: secondCluster,
    },
    "network.dnsDomain": {
        why: `${kubeadmOnly}; pods that run already look for names in the present one`,
        instead: secondCluster,
    },
    "network.cni": { why: "two pod networks would be on every node", instead: secondCluster },
    ...Object.fromEntries(flagRows),
};

/** Values of fixed inputs as text, by name; "" if the user gives none. */
export type FixedValues = Record<string, string>;

interface RecordedValues {
    fixed: FixedValues;
    ids?: FixedValues | undefined;
}

/**
 * Whether an input has another value than before. One that only one side records is no change, and neither is another
 * name for the same thing: renamed in the cloud, and then in the program.
 */
export function isAnother(name: string, before: RecordedValues, after: RecordedValues): boolean {
    const [from, to] = [before.fixed[name], after.fixed[name]];
    if (from === undefined || to === undefined || from === to) return false;
    const id = before.ids?.[name];
    return id === undefined || id !== after.ids?.[name];
}

/** The refused changes, one line each: old value, new value and what to do. */
export function refusedChanges(
    olds: FixedValues,
    news: FixedValues,
    ids: { olds?: FixedValues | undefined; news?: FixedValues | undefined } = {},
): CheckFailure[] {
    return Object.entries(fixedInputs).flatMap(([name, { why, instead, allows }]) => {
        const [from, to] = [olds[name], news[name]];
        if (from === undefined || to === undefined || to === unknownValue) return [];
        if (!isAnother(name, { fixed: olds, ids: ids.olds }, { fixed: news, ids: ids.news })) return [];
        if (allows?.(from, to)) return [];
        const reason =
            `${name} cannot be changed: ${name === "serverName" ? "this storage server" : "this cluster"} has ${shown(from)}, ${shown(to)} is asked for; ${why}. ` +
            `Nothing was touched. ${from === "" ? "Take it out again" : `Set it back to ${shown(from)}`}, or ${instead}.`;
        return [{ property: "", reason }];
    });
}

/**
 * Control-plane nodes change one after another. Nodes without the key cannot read Secrets that the first nodes encrypt,
 * and fail to list any; if the run stops midway, that stays so. So encryption can be turned on only with a single
 * control-plane node.
 */
export function refuseEncryption(
    olds: { fixed: FixedValues; masters: readonly string[] },
    news: { fixed: FixedValues; masters: readonly string[] },
): CheckFailure[] {
    if (olds.fixed[encryptionInput] !== "false" || news.fixed[encryptionInput] !== "true") return [];
    const masters = [...new Set([...olds.masters, ...news.masters])];
    if (masters.length <= 1) return [];
    const others = olds.masters.length > 1 ? "take the masters out but one, run pulumi up, " : "";
    const reason =
        `${encryptionInput} cannot be turned on with several masters (${masters.join(", ")}): they change one after another, and those that do not ` +
        "have the key yet could not read the Secrets that the first one writes. Nothing was touched. Set it back to false, or " +
        `${others}turn it on with ${olds.masters.length > 1 ? "that" : `${olds.masters[0]} as the only`} master, run pulumi up, then add the others; or ${secondCluster}.`;
    return [{ property: "", reason }];
}

function shown(value: string): string {
    return value === "" ? "(none)" : JSON.stringify(value);
}
