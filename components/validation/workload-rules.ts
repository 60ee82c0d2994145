import type * as pulumi from "@pulumi/pulumi";
import { cidrProblem } from "../../provider/cidr";
import { maxUnavailableProblem } from "../max-unavailable";
import type {
    WorkloadHealthCheckArgs,
    WorkloadIdentityArgs,
    WorkloadMachineArgs,
    WorkloadNetworkArgs,
    WorkloadOpenStackArgs,
    WorkloadPoolArgs,
} from "../workload-inputs";
import { dnsLabel, dnsLabelRule, type Problem, prefixed, type Rule } from "./cluster-rules";
import { taintProblems } from "./node-rules";
import { choice } from "./server-rules";

/** The part of `WorkloadClusterArgs` that the rules read. It itself refers to components, which use the rules: a cycle. */
interface Checked {
    management?: object;
    managementVim?: object;
    clusterName?: string;
    namespace?: string;
    version?: string;
    openstack?: Omit<WorkloadOpenStackArgs, "identity"> & { identity: pulumi.Unwrap<WorkloadIdentityArgs> };
    controlPlane?: WorkloadMachineArgs & { replicas?: number };
    pools?: Record<string, WorkloadPoolArgs>;
    network?: WorkloadNetworkArgs;
    healthCheck?: WorkloadHealthCheckArgs;
    manifests?: string[];
    variables?: Record<string, string>;
    timeoutSeconds?: number;
}

type WorkloadRule = Rule<Checked>;
type Row = [isRight: boolean, place: string, problem: string];
const problemsOf = (rows: Row[]): Problem[] =>
    rows.flatMap(([isRight, place, problem]): Problem[] => (isRight ? [] : [[place, problem]]));

/** Inputs that only make sense with typed machines. */
const typed = ["clusterName", "version", "controlPlane", "pools", "network", "addOns", "kubeadm", "healthCheck"];

const way: WorkloadRule = args => {
    const { openstack, manifests, variables, version, controlPlane } = args;
    if ((openstack === undefined) === (manifests === undefined))
        return [["openstack", "set exactly one of: openstack, manifests"]];
    if (manifests !== undefined) {
        return typed
            .filter(input => input !== "clusterName" && input in args)
            .map(input => [input, "is for openstack: your own manifests say it themselves"]);
    }
    return problemsOf([
        [variables === undefined, "variables", "is for manifests"],
        [version !== undefined, "version", 'is required: "1.34.4"'],
        [controlPlane !== undefined, "controlPlane", "is required: flavor and image of its servers"],
    ]);
};

const place: WorkloadRule = ({ management, managementVim }) =>
    (management === undefined) === (managementVim === undefined)
        ? [["management", "set exactly one of: management, managementVim"]]
        : [];

const names: WorkloadRule = ({ clusterName, namespace, pools = {} }) => [
    ...(clusterName === undefined || isName(clusterName) ? [] : [["clusterName", nameRule] as Problem]),
    ...(namespace === undefined || dnsLabel.test(namespace) ? [] : [["namespace", dnsLabelRule] as Problem]),
    ...Object.keys(pools).flatMap((pool): Problem[] => {
        if (!isName(pool)) return [[`pools.${pool}`, nameRule]];
        return pool === "control-plane" ? [[`pools.${pool}`, "is the name of the control plane's own objects"]] : [];
    }),
];

/** Names of servers and nodes are made of it, with a pool's name and two hashes. */
const isName = (name: string) => dnsLabel.test(name) && /^[a-z]/.test(name) && name.length <= 30;
const nameRule =
    "the name must begin with a letter and have at most 30 of a-z, 0-9, - (names of servers are made of it)";

const version: WorkloadRule = args =>
    args.version === undefined || /^v?1\.\d+\.\d+$/.test(args.version)
        ? []
        : [["version", `"${args.version}" is no version of Kubernetes: write it like "1.34.4"`]];

const identity: WorkloadRule = ({ openstack }) => {
    if (openstack === undefined) return [];
    const given = openstack.identity;
    return "cloudsYaml" in given === "secretName" in given
        ? [["openstack.identity", "set exactly one of: cloudsYaml, secretName"]]
        : [];
};

const cloud: WorkloadRule = ({ openstack, controlPlane }) => {
    if (openstack === undefined) return [];
    const { apiAccess = "floating-ip", apiEndpoint, network, nodeCidr, subnets, dnsNameservers } = openstack;
    const replicas = controlPlane?.replicas ?? 1;
    return [
        ...choice("openstack.apiAccess", apiAccess, ["floating-ip", "octavia", "none"]),
        ...problemsOf([
            [
                nodeCidr === undefined || network === undefined,
                "openstack.nodeCidr",
                "is for a network that is made: set either network or nodeCidr",
            ],
            [
                nodeCidr === undefined || cidrProblem(nodeCidr, "10.6.0.0/24") === undefined,
                "openstack.nodeCidr",
                cidrProblem(nodeCidr ?? "", "10.6.0.0/24") ?? "",
            ],
            [
                subnets === undefined || network !== undefined,
                "openstack.subnets",
                "are those of an existing network: give network, too",
            ],
            [
                dnsNameservers === undefined || network === undefined,
                "openstack.dnsNameservers",
                "are for a network that is made: an existing one has its own",
            ],
            [
                apiEndpoint === undefined || /^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d+$/.test(apiEndpoint),
                "openstack.apiEndpoint",
                `"${apiEndpoint}" must be address:port, such as "10.0.0.5:6443"`,
            ],
            [
                [1, 3, 5].includes(replicas),
                "controlPlane.replicas",
                `${replicas} is not allowed: 1, 3 or 5, because etcd needs a majority`,
            ],
            [
                replicas === 1 || apiAccess === "octavia" || apiEndpoint !== undefined,
                "controlPlane.replicas",
                'more than one machine need an address that moves: apiAccess: "octavia", or apiEndpoint (a floating IP stays with the first machine)',
            ],
        ]),
    ];
};

const pools: WorkloadRule = ({ pools: given = {} }) =>
    Object.entries(given).flatMap(([name, pool]) => {
        const { replicas = 1, autoscale, taints = [], maxUnavailable, drainTimeoutSeconds = 0 } = pool;
        const at = `pools.${name}`;
        const unavailable =
            maxUnavailable === undefined || /^0%?$/.test(`${maxUnavailable}`)
                ? undefined
                : maxUnavailableProblem(maxUnavailable);
        return [
            ...taintProblems(`${at}.taints`, taints),
            ...problemsOf([
                [Number.isInteger(replicas) && replicas >= 0, `${at}.replicas`, `${replicas} is no number of machines`],
                [
                    autoscale === undefined || pool.replicas === undefined,
                    `${at}.replicas`,
                    "the autoscaler sets it: set either replicas or autoscale",
                ],
                [
                    autoscale === undefined ||
                        (Number.isInteger(autoscale.min) &&
                            Number.isInteger(autoscale.max) &&
                            autoscale.min >= 0 &&
                            autoscale.min <= autoscale.max),
                    `${at}.autoscale`,
                    "min and max must be whole numbers, min at least 0 and at most max",
                ],
                [unavailable === undefined, `${at}.maxUnavailable`, unavailable ?? ""],
                [drainTimeoutSeconds >= 0, `${at}.drainTimeoutSeconds`, "must be 0 or more"],
            ]),
        ];
    });

const volumes: WorkloadRule = ({ controlPlane, pools: given }) =>
    Object.entries({ ...(controlPlane && { controlPlane }), ...prefixed("pools", given) }).flatMap(
        ([at, { rootVolume }]) =>
            rootVolume === undefined || rootVolume.sizeGiB > 0
                ? []
                : [[`${at}.rootVolume.sizeGiB`, "must be greater than 0"] as Problem],
    );

const network: WorkloadRule = ({ network: given = {} }) => {
    const { podCidr, serviceCidr, cni, cniManifests } = given;
    const cidrs = Object.entries({ podCidr, serviceCidr }).flatMap(([name, cidr]): Problem[] => {
        const problem = cidr === undefined ? undefined : cidrProblem(cidr, "10.244.0.0/16");
        return problem === undefined ? [] : [[`network.${name}`, problem]];
    });
    return [
        ...cidrs,
        ...choice("network.cni", cni, ["bridge", "flannel", "manifests", "none"]),
        ...problemsOf([
            [
                (cni === "manifests") === (cniManifests !== undefined),
                "network.cniManifests",
                "go together with cni: manifests",
            ],
        ]),
    ];
};

const health: WorkloadRule = ({ healthCheck: given }) => {
    if (given === undefined) return [];
    const { notReadySeconds = 1, startupSeconds = 1, maxUnhealthy = 1 } = given;
    const problem = maxUnavailableProblem(maxUnhealthy);
    return problemsOf([
        [notReadySeconds > 0, "healthCheck.notReadySeconds", "must be greater than 0"],
        [startupSeconds > 0, "healthCheck.startupSeconds", "must be greater than 0"],
        [problem === undefined, "healthCheck.maxUnhealthy", problem ?? ""],
    ]);
};

const time: WorkloadRule = ({ timeoutSeconds = 1 }) =>
    timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]];

export const workloadClusterRules: WorkloadRule[] = [
    place,
    way,
    names,
    version,
    identity,
    cloud,
    pools,
    volumes,
    network,
    health,
    time,
];
