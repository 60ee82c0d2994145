import { isIP, isIPv4 } from "node:net";
import { type Cidr, cidrProblem, contains, overlap, parseCidr } from "../../provider/common/cidr";
import { didYouMean } from "../../provider/common/did-you-mean";
import { apiServerPort } from "../../provider/endpoint/decide-endpoint";
import { clusterNameProblem } from "../../provider/identity/identity";
import { oldestMinor, usualStart } from "../../provider/member/join/kubeadm-config";
import type { KubernetesClusterArgs } from "../args/args";
import { certificateProblem, mapClusterCertificates } from "../common/certificate-files";
import { maxUnavailableProblem } from "../common/max-unavailable";
import { cniOf, defaults, type PlainArgs } from "../common/plain-args";
import { resourceName } from "../common/resource-name";
import { members } from "../infrastructure/hosts/members";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { serverGroups } from "../infrastructure/openstack/plan/server-groups";
import { certificateRule } from "./certificate-rules";
import { vipNetwork } from "./vip-network";

/** What a schema cannot express. Each rule: place → what is wrong there. Values that are not known yet are undefined. */
export type Rule<Args> = (args: Args) => Problem[];
export type Problem = [place: string, what: string];

type ClusterRule = Rule<PlainArgs>;

export const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const dnsLabelRule = "the name must be a DNS label (at most 63 of a-z, 0-9, -)";
export const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const cnis = ["bridge", "flannel", "manifests", "none"];
const drainPolicies = ["fail", "evict", "delete"];
const components = ["apiServer", "controllerManager", "scheduler", "etcd", "kubelet"];
/** On Linux. "": kube-proxy chooses. */
const proxyModes = ["", "iptables", "ipvs", "nftables"];

const name: ClusterRule = ({ clusterName }) => {
    const problem = clusterName === undefined ? undefined : clusterNameProblem(clusterName);
    return problem ? [["clusterName", problem]] : [];
};

const version: ClusterRule = ({ kubernetes }) => {
    const place = "kubernetes.version";
    const [, minor] = /^1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(kubernetes.version) ?? [];
    if (minor === undefined) return [[place, `"${kubernetes.version}" is no full version: write it like "1.36.3"`]];
    if (Number(minor) >= oldestMinor) return [];
    return [
        [place, `${kubernetes.version} is too old: 1.${oldestMinor}.0 or later (kubeadm's configuration is v1beta4)`],
    ];
};

/** kubeadm's own limit; an hour. */
const start = { least: usualStart, most: 3600 };

const startTimeout: ClusterRule = ({ kubernetes: { startTimeoutSeconds: seconds = usualStart } }) =>
    Number.isInteger(seconds) && seconds >= start.least && seconds <= start.most
        ? []
        : [
              [
                  "kubernetes.startTimeoutSeconds",
                  `${seconds} is not allowed: a whole number from ${start.least} to ${start.most}`,
              ],
          ];

const source: ClusterRule = ({ kubernetes }) => atMostOne("kubernetes.source", kubernetes.source);

const runtimeOrigins = ["distribution", "bundle"];

const containerRuntime: ClusterRule = ({
    kubernetes: { containerRuntime: { from = "distribution" } = {}, source = {} },
}) => {
    const place = "kubernetes.containerRuntime.from";
    if (!runtimeOrigins.includes(from)) return [oneOf(place, from, runtimeOrigins)];
    return from === "bundle" && source.bundle === undefined ? [[place, "bundle needs kubernetes.source.bundle"]] : [];
};

const masters: ClusterRule = args => {
    if (!args.infrastructure.hosts) return [];
    const { count: given, remove } = args.controlPlane ?? {};
    const { listed, left, butRemoved } = usable(args.infrastructure.hosts.controlPlane, remove);
    const count = given ?? left;
    const place = given === undefined ? "infrastructure.hosts.controlPlane" : "controlPlane.count";
    if (![1, 3, 5].includes(count)) {
        const why = given === undefined && butRemoved !== "" ? `; it lists ${listed}${butRemoved}` : "";
        return [[place, `${count} is not allowed: 1, 3 or 5 (etcd needs a majority)${why}`]];
    }
    return count > left
        ? [[place, `${count} masters wanted, infrastructure.hosts.controlPlane lists ${listed}${butRemoved}`]]
        : [];
};

/** How many machines of a group there are, also without those that `remove` names. */
function usable(machines: object | undefined, remove: readonly string[] = []) {
    const names = Object.keys(machines ?? {});
    const left = names.filter(each => !remove.includes(each)).length;
    const butRemoved = left === names.length ? "" : `, of which remove takes ${names.length - left}`;
    return { listed: names.length, left, butRemoved };
}

const pools: ClusterRule = args => {
    if (!args.infrastructure.hosts) return [];
    const listed = args.infrastructure.hosts?.pools ?? {};
    const known = Object.keys(args.pools ?? {});
    const strange = Object.keys(listed)
        .filter(pool => !known.includes(pool))
        .map(
            (pool): Problem => [
                `infrastructure.hosts.pools.${pool}`,
                `there is no such pool in pools${didYouMean(pool, known) || `: add it, pools: { ${keyOf(pool)}: {} }`}`,
            ],
        );
    const counts = Object.entries(args.pools ?? {}).flatMap(([pool, { count, remove }]): Problem[] => {
        const { listed: machines, left, butRemoved } = usable(listed[pool], remove);
        if (!dnsLabel.test(pool)) return [[`pools.${pool}`, dnsLabelRule]];
        if (count === undefined || (Number.isInteger(count) && count >= 0 && count <= left)) return [];
        const isCount = Number.isInteger(count) && count >= 0;
        const most = `infrastructure.hosts.pools.${pool} lists ${machines}${butRemoved}`;
        return [[`pools.${pool}.count`, `${count} is not allowed: ${isCount ? most : "a whole number of at least 0"}`]];
    });
    // A pool with `count: 0` is empty for now.
    const empty = known
        .filter(pool => !(pool in listed) && args.pools?.[pool]?.count !== 0)
        .map((pool): Problem => {
            const unused = Object.keys(listed).filter(other => !known.includes(other));
            const others = didYouMean(pool, [...unused, ...known.filter(other => other in listed)]);
            return [
                `pools.${pool}`,
                `infrastructure.hosts.pools.${pool} lists no machines${others} (count: 0 keeps an empty pool)`,
            ];
        });
    return [...strange, ...counts, ...empty];
};

/** As a program writes it. */
const keyOf = (name: string) => (/^[a-z]\w*$/.test(name) ? name : JSON.stringify(name));

const maxUnavailable: ClusterRule = args =>
    Object.entries(args.pools ?? {}).flatMap(([pool, given]): Problem[] => {
        const problem = maxUnavailableProblem(given.maxUnavailable);
        return problem === undefined ? [] : [[`pools.${pool}.maxUnavailable`, problem]];
    });

const machines: ClusterRule = args => {
    const seenNames = new Map<string, string>();
    const seenResources = new Map<string, string>();
    const seenAddresses = new Map<string, string>();
    return allMachines(args).flatMap(({ place, node, address, ssh }) => {
        const problems: Problem[] = [];
        if (!dnsLabel.test(node)) problems.push([place, dnsLabelRule]);
        const sameName = seenNames.get(node);
        if (sameName) problems.push([place, `the name is used by ${sameName} too`]);
        seenNames.set(node, place);
        const resource = resourceName({ name: "", clusterName: args.clusterName ?? "" }, node);
        const sameResource = seenResources.get(resource);
        if (sameResource && !sameName)
            problems.push([
                place,
                `its resources would have the names of those of ${sameResource}: rename one of them`,
            ]);
        seenResources.set(resource, place);
        if (address !== undefined) {
            const same = seenAddresses.get(address);
            if (isIP(address) === 0) problems.push([`${place}.address`, `"${address}" is no IP address`]);
            else if (same) problems.push([`${place}.address`, `${address} is the address of ${same} too`]);
            const unfit = unfitForNodes(address);
            if (unfit !== undefined) problems.push([`${place}.address`, `${address} ${unfit}`]);
            seenAddresses.set(address, place);
        }
        return [...problems, ...sshProblems(`${place}.ssh`, ssh)];
    });
};

/** Addresses at which the other nodes cannot reach a machine. */
const unfit: [RegExp, string][] = [
    [/:/, "is an IPv6 address: nodes have IPv4 addresses"],
    [/^127\./, "is on the loopback interface: give the address at which the other nodes reach the machine"],
    [/^(0|22[4-9]|2[3-5]\d)\./, "is no address of a machine"],
    [/^169\.254\./, "is link-local: give the address at which the other nodes reach the machine"],
];

function unfitForNodes(address: string): string | undefined {
    return isIP(address) === 0 ? undefined : unfit.find(([pattern]) => pattern.test(address))?.[1];
}

const ssh: ClusterRule = args => {
    const place = "infrastructure.hosts.ssh";
    const given = args.infrastructure.hosts?.ssh;
    const host: Problem[] =
        given !== undefined && "host" in given
            ? [
                  [
                      `${place}.host`,
                      "would be one host for all machines: give it at the machine that it is of, in its ssh.host",
                  ],
              ]
            : [];
    return [...host, ...sshProblems(place, given)];
};

const longestSeconds = 3600;

const endpoint: ClusterRule = args => {
    const place = "controlPlane.endpoint";
    const given = args.controlPlane?.endpoint;
    const both = atMostOne(place, given);
    if (both.length > 0) return both;
    const named = args.infrastructure.hosts ? members(args as KubernetesClusterArgs) : [];
    const several = named.filter(member => member.role === "controlPlane").length > 1;
    if (!given?.vip && !given?.external) {
        return several ? [[place, "is required with several masters: set vip or external"]] : [];
    }
    const vip = given.vip;
    if (!vip) return externalProblems(`${place}.external`, given.external!);
    const problems: Problem[] = [];
    const owner = allMachines(args).find(machine => machine.address === vip.address);
    if (vip.address === undefined && args.infrastructure.hosts) {
        problems.push([`${place}.vip.address`, "is required with infrastructure.hosts"]);
    }
    if (vip.address !== undefined && !isIPv4(vip.address)) {
        problems.push([`${place}.vip.address`, `"${vip.address}" is no IPv4 address`]);
    }
    if (vip.address !== undefined && owner)
        problems.push([`${place}.vip.address`, `${vip.address} is the address of ${owner.place}: take a free one`]);
    if (!within(vip.virtualRouterId, 1, 255)) {
        problems.push([`${place}.vip.virtualRouterId`, `${vip.virtualRouterId} is not allowed: 1 to 255`]);
    }
    if (!within(vip.prefixLength, 1, 32)) {
        problems.push([`${place}.vip.prefixLength`, `${vip.prefixLength} is not allowed: 1 to 32`]);
    }
    if (vip.port === apiServerPort) {
        problems.push([`${place}.vip.port`, `${vip.port} is taken by the API servers themselves`]);
    }
    return [...problems, ...portProblems(`${place}.vip.port`, vip.port)];
};

/** kubeadm takes no other form of a name. */
function externalProblems(place: string, { host, port }: { host?: string; port?: number }): Problem[] {
    const right = host?.toLowerCase().replace(/\.$/, "");
    return [
        ...(host === right
            ? []
            : [
                  [
                      `${place}.host`,
                      `"${host}" must be in small letters, without a dot at its end: "${right}"`,
                  ] as Problem,
              ]),
        ...portProblems(`${place}.port`, port),
    ];
}

const networks: ClusterRule = args => {
    const given = {
        "network.podCidr": args.network?.podCidr ?? defaults.podCidr,
        "network.serviceCidr": args.network?.serviceCidr ?? defaults.serviceCidr,
    };
    const parsed = Object.entries(given).map(([place, text]) => ({ place, text, cidr: parseCidr(text) }));
    const broken = parsed.flatMap(({ place, text }): Problem[] => {
        const problem = cidrProblem(text, "10.244.0.0/16");
        return problem === undefined ? [] : [[place, problem]];
    });
    if (broken.length > 0) return broken;
    const [pod, service] = parsed.map(({ cidr }) => cidr!) as [NonNullable<ReturnType<typeof parseCidr>>, never];
    const problems = parsed.flatMap(({ place, cidr }) => sizeProblems(place as "network.podCidr", cidr!));
    if (overlap(pod, service)) {
        problems.push([
            "network.podCidr",
            `${given["network.podCidr"]} overlaps network.serviceCidr ${given["network.serviceCidr"]}`,
        ]);
    }
    const perNode = pod.version === 4 ? 24 : 64;
    const room = pod.prefix > perNode ? 0 : 2 ** (perNode - pod.prefix);
    const nodes = cloudOf(args)
        ? serverGroups(args).reduce((sum, { count }) => sum + count, 0)
        : members(args as KubernetesClusterArgs).length;
    if (room < nodes) {
        problems.push(["network.podCidr", `has room for ${room} nodes (a /${perNode} each), there are ${nodes}`]);
    }
    const vip = args.controlPlane?.endpoint?.vip?.address;
    const addresses = [
        ...allMachines(args).map(machine => ({ place: `${machine.place}.address`, address: machine.address })),
        { place: "controlPlane.endpoint.vip.address", address: vip },
    ];
    for (const { place, address } of addresses) {
        if (address === undefined || isIP(address) === 0) continue;
        const inside = parsed.find(({ cidr }) => contains(cidr!, address));
        if (inside) problems.push([place, `${address} lies in ${inside.place} ${inside.text}`]);
    }
    return problems;
};

/** kubeadm's limits of an IPv4 network: the shortest and the longest prefix. A pod network has 2^16 networks of nodes at most. */
const prefixes = {
    "network.podCidr": { from: 8, to: 24, why: "a node gets a /24 of it, and there may be 65536 of those" },
    "network.serviceCidr": { from: 12, to: 28, why: "Kubernetes takes no larger and no smaller ones" },
};

function sizeProblems(place: keyof typeof prefixes, { version, prefix }: Cidr): Problem[] {
    const { from, to, why } = prefixes[place];
    if (version !== 4 || (prefix >= from && prefix <= to)) return [];
    return [[place, `/${prefix} is not allowed: /${from} to /${to} (${why})`]];
}

const cni: ClusterRule = args => {
    const kind = cniOf(args);
    const manifests = args.network?.cniManifests ?? [];
    if (!cnis.includes(kind)) return [oneOf("network.cni", kind, cnis)];
    if (kind === "manifests" && manifests.length === 0)
        return [["network.cniManifests", "is required with cni: manifests"]];
    return kind !== "manifests" && manifests.length > 0
        ? [["network.cniManifests", `has no meaning with cni: ${kind}`]]
        : [];
};

const drain: ClusterRule = args => {
    const places: [string, PlainArgs["drain"]][] = [
        ["drain", args.drain],
        ...Object.entries(args.pools ?? {}).map(([pool, of]): [string, PlainArgs["drain"]] => [
            `pools.${pool}.drain`,
            of.drain,
        ]),
    ];
    return places.flatMap(([place, { policy, timeoutSeconds } = {}]): Problem[] => [
        ...(policy === undefined || drainPolicies.includes(policy)
            ? []
            : [oneOf(`${place}.policy`, policy, drainPolicies)]),
        ...(timeoutSeconds === undefined || timeoutSeconds >= 0
            ? []
            : [[`${place}.timeoutSeconds`, "must not be negative"] as Problem]),
    ]);
};

const extraArgs: ClusterRule = ({ controlPlane }) =>
    Object.keys(controlPlane?.extraArgs ?? {})
        .filter(component => !components.includes(component))
        .map(component => oneOf(`controlPlane.extraArgs.${component}`, component, components));

/** kubelet's flags are in one line of a file that supports no quoting. */
const kubeletArgs: ClusterRule = ({ controlPlane }) =>
    Object.entries(controlPlane?.extraArgs?.["kubelet"] ?? {})
        .filter(([flag, value]) => value !== undefined && /[\s"'\\$*?]/.test(`${flag}${value}`))
        .map(([flag]): Problem => [`controlPlane.extraArgs.kubelet.${flag}`, "must be without spaces and quotes"]);

const proxyMode: ClusterRule = ({ kubeProxy }) => {
    const mode = kubeProxy?.["mode"];
    if (mode === undefined || proxyModes.includes(mode as string)) return [];
    const [place, what] = oneOf("kubeProxy.mode", String(mode), proxyModes.slice(1));
    return [[place, `${what}${didYouMean(String(mode), proxyModes.slice(1))}`]];
};

/** Without TLS, an attacker on the network could replace the packages and their signing key. */
const packages: ClusterRule = ({ kubernetes }) =>
    (["apt", "dnf"] as const).flatMap(kind => {
        const place = `kubernetes.source.${kind}`;
        const { repository, key } = kubernetes.source?.[kind] ?? {};
        const problems: Problem[] = [];
        if (repository !== undefined && !/^https?:\/\/[^/\s]+\S*$/.test(repository)) {
            problems.push([`${place}.repository`, "must be a URL that begins with https:// or http://"]);
        } else if (repository !== undefined && /^https?:\/\/[^/]*@/.test(repository)) {
            problems.push([
                `${place}.repository`,
                "must be without user and password: every user of a node can read it",
            ]);
        } else if (repository?.startsWith("http://") && key === undefined) {
            const why = "with http:// anybody on the way can change packages and the key beside them";
            problems.push([`${place}.repository`, `${why}: use https://, or give the signing key as ${place}.key`]);
        }
        if (key !== undefined && !/^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?$/m.test(key)) {
            problems.push([`${place}.key`, "must be the text of a public key, -----BEGIN PGP PUBLIC KEY BLOCK-----"]);
        }
        return problems;
    });

const certificates: ClusterRule = args => {
    const problems: Problem[] = [];
    mapClusterCertificates(args, (value: string | undefined, place) => {
        const problem = value === undefined ? undefined : certificateProblem(value);
        if (problem !== undefined) problems.push([place, problem]);
        return value;
    });
    return problems;
};

export const clusterRules: ClusterRule[] = [
    name,
    version,
    source,
    containerRuntime,
    startTimeout,
    masters,
    pools,
    maxUnavailable,
    certificateRule,
    machines,
    ssh,
    endpoint,
    vipNetwork,
    networks,
    cni,
    drain,
    extraArgs,
    kubeletArgs,
    proxyMode,
    packages,
    certificates,
];

/** Alternatives of which at most one may be set. */
export function atMostOne(place: string, given: object | undefined): Problem[] {
    const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
    return set.length > 1 ? [[place, `set only one of: ${set.map(([key]) => key).join(", ")}`]] : [];
}

export function allMachines(args: PlainArgs) {
    const hosts = args.infrastructure.hosts;
    const groups = { controlPlane: hosts?.controlPlane, ...prefixed("pools", hosts?.pools) };
    return Object.entries(groups).flatMap(([group, machinesOfGroup]) =>
        Object.entries(machinesOfGroup ?? {}).map(([node, machine]) => ({
            place: `infrastructure.hosts.${group}.${node}`,
            node,
            address: machine.address as string | undefined,
            ssh: machine.ssh,
        })),
    );
}

type PlainSsh = NonNullable<NonNullable<PlainArgs["infrastructure"]["hosts"]>["ssh"]>;

export function sshProblems(place: string, given: PlainSsh | undefined): Problem[] {
    if (!given) return [];
    const jump = given.jump;
    return [
        ...portProblems(`${place}.port`, given.port),
        ...(["connectTimeoutSeconds", "keepAliveSeconds"] as const).flatMap((input): Problem[] =>
            given[input] === undefined || (given[input] >= 0 && given[input] <= longestSeconds)
                ? []
                : [[`${place}.${input}`, `${given[input]} is not allowed: 0 to ${longestSeconds}`]],
        ),
        ...(jump && !("host" in jump) ? [[`${place}.jump.host`, "is required"] as Problem] : []),
        ...sshProblems(`${place}.jump`, jump as PlainSsh | undefined),
    ];
}

function portProblems(place: string, port: number | undefined): Problem[] {
    return within(port, 1, 65535) ? [] : [[place, `${port} is not allowed: 1 to 65535`]];
}

export function within(value: number | undefined, low: number, high: number): boolean {
    return value === undefined || (Number.isInteger(value) && value >= low && value <= high);
}

export function oneOf(place: string, value: string, allowed: readonly string[]): Problem {
    return [place, `"${value}" is not allowed: ${allowed.join(", ")}`];
}

export function prefixed<T>(prefix: string, map: Record<string, T> | undefined): Record<string, T> {
    return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [`${prefix}.${key}`, value]));
}
