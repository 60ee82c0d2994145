import type * as pulumi from "@pulumi/pulumi";
import { type Cidr, cidrProblem, overlap, parseCidr } from "../../provider/common/cidr";
import type { TenantsArgs } from "../args/tenants-args";
import type { SendCredentialsArgs, WorkloadIdentityArgs } from "../args/workload-credential-args";
import { workloadDefaults } from "../args/workload-defaults";
import type {
    WorkloadHealthCheckArgs,
    WorkloadKubeadmArgs,
    WorkloadMachineArgs,
    WorkloadNetworkArgs,
    WorkloadOpenStackArgs,
    WorkloadPoolArgs,
} from "../args/workload-inputs";
import { certificateProblem } from "../common/certificate-files";
import { maxUnavailableProblem } from "../common/max-unavailable";
import { taintProblems } from "./node-rules";
import { podNetworkSize } from "./pod-network-size";
import { dnsLabel, dnsLabelRule, dnsName, type Problem, prefixed, type Rule } from "./rule";
import { choice } from "./server-rules";
import { tenantsProblems } from "./tenants-rules";
import { workloadValueRules } from "./workload-value-rules";

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
    tenants?: TenantsArgs;
    kubeadm?: WorkloadKubeadmArgs;
    healthCheck?: WorkloadHealthCheckArgs;
    manifests?: string[];
    variables?: Record<string, string>;
    sendCredentials?: pulumi.Unwrap<SendCredentialsArgs>;
    movable?: boolean;
    timeoutSeconds?: number;
}

type WorkloadRule = Rule<Checked>;
type Row = [isRight: boolean, place: string, problem: string];
const problemsOf = (rows: Row[]): Problem[] =>
    rows.flatMap(([isRight, place, problem]): Problem[] => (isRight ? [] : [[place, problem]]));

/** Inputs that only make sense with typed machines. */
const typed = ["clusterName", "version", "controlPlane", "pools", "network", "tenants", "kubeadm", "healthCheck"];

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
        [version !== undefined, "version", 'is required: "1.36.3"'],
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
    args.version === undefined || /^v?1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(args.version)
        ? []
        : [["version", `"${args.version}" is no version of Kubernetes: write it like "1.36.3"`]];

/** Where the login to the cloud may come from. A value that is not known yet is present, as undefined. */
const logins = ["cloudsYaml", "secretName", "applicationCredential"] as const;

const identity: WorkloadRule = ({ openstack, movable }) => {
    if (openstack === undefined) return [];
    const at = "openstack.identity";
    const given = openstack.identity;
    const { clusterIdentity, applicationCredential, cloudsYaml, caCertificate } = given;
    const { cloudName = workloadDefaults.cloudName } = given;
    const wrongCertificate = caCertificate === undefined ? undefined : certificateProblem(caCertificate);
    const [login, ...others] = logins.filter(each => each in given);
    const isMade = login === "cloudsYaml" || login === "applicationCredential";
    if (others.length > 0 || (login === undefined && clusterIdentity === undefined))
        return [[at, "set exactly one of: cloudsYaml, secretName, applicationCredential, or clusterIdentity alone"]];
    return problemsOf([
        [
            clusterIdentity === undefined || login !== "secretName",
            `${at}.clusterIdentity`,
            "says itself which Secret it uses: leave out secretName",
        ],
        [
            clusterIdentity === undefined || dnsName.test(clusterIdentity),
            `${at}.clusterIdentity`,
            `"${clusterIdentity}" is no name of an object: a-z, 0-9, - and .`,
        ],
        [
            !movable || clusterIdentity === undefined || !isMade,
            `${at}.clusterIdentity`,
            "is for several clusters and stays when this one moves (movable): leave it out, or name one that exists, without a login",
        ],
        [
            given.namespaceSelector === undefined || (clusterIdentity !== undefined && isMade),
            `${at}.namespaceSelector`,
            "is for a clusterIdentity that is made, with cloudsYaml or applicationCredential",
        ],
        [
            !("caCertificate" in given) || isMade,
            `${at}.caCertificate`,
            "is for cloudsYaml or applicationCredential: an existing Secret has its own",
        ],
        [!isMade || wrongCertificate === undefined, `${at}.caCertificate`, wrongCertificate ?? ""],
        [
            cloudsYaml === undefined || hasCloud(cloudsYaml, cloudName),
            `${at}.cloudsYaml`,
            `must be the text of a clouds.yaml file that has the cloud "${cloudName}" (see cloudName)`,
        ],
        ...(applicationCredential?.accessRules ?? []).map(({ service, method, path }, i): Row => {
            const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
            return [
                service !== "" && methods.includes(method) && path.startsWith("/"),
                `${at}.applicationCredential.accessRules.${i}`,
                `must have a service, a method of ${methods.join(", ")}, and a path that begins with /`,
            ];
        }),
    ]);
};

/** An error of the parser would show a part of the text. */
function hasCloud(cloudsYaml: string, cloudName: string): boolean {
    const { parse } = require("yaml") as typeof import("yaml");
    try {
        return Object.hasOwn(parse(cloudsYaml)?.clouds ?? {}, cloudName);
    } catch {
        return false;
    }
}

const receiver: WorkloadRule = ({ sendCredentials }) => {
    if (sendCredentials === undefined) return [];
    const { url, token, caCertificate, access, timeoutSeconds = 1 } = sendCredentials;
    const at = "sendCredentials";
    const wrongCertificate = caCertificate === undefined ? undefined : certificateProblem(caCertificate);
    return [
        ...choice(`${at}.access`, access, ["account", "administrator"]),
        ...problemsOf([
            [url === undefined || isReceiver(url), `${at}.url`, "must be an https URL without a user name in it"],
            [token === undefined || /^[\x21-\x7e]+$/.test(token), `${at}.token`, "must be one word without blanks"],
            [wrongCertificate === undefined, `${at}.caCertificate`, wrongCertificate ?? ""],
            [timeoutSeconds > 0, `${at}.timeoutSeconds`, "must be greater than 0"],
        ]),
    ];
};

/** A user name in a URL would stand in logs. */
function isReceiver(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { protocol, username, password } = new URL(url);
    return protocol === "https:" && username === "" && password === "";
}

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
                apiEndpoint === undefined ||
                    (/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d+$/.test(apiEndpoint) && URL.canParse(`https://${apiEndpoint}`)),
                "openstack.apiEndpoint",
                `"${apiEndpoint}" must be address:port, such as "10.0.0.5:6443"`,
            ],
            [
                [1, 3, 5].includes(replicas),
                "controlPlane.replicas",
                `${replicas} is not allowed: 1, 3 or 5, because etcd needs a majority`,
            ],
            [
                ![3, 5].includes(replicas) || apiAccess === "octavia" || apiEndpoint !== undefined,
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
                            autoscale.max >= 1 &&
                            autoscale.min <= autoscale.max),
                    `${at}.autoscale`,
                    "min and max must be whole numbers, min at least 0 and at most max, max at least 1",
                ],
                [unavailable === undefined, `${at}.maxUnavailable`, `${unavailable}, or 0: a new machine first`],
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
                (cni === "manifests") === (cniManifests !== undefined && cniManifests.length > 0),
                "network.cniManifests",
                "go together with cni: manifests",
            ],
        ]),
    ];
};

/** Addresses that two networks have lead to one of them only. */
const addresses: WorkloadRule = ({ openstack, network: given = {} }) => {
    if (openstack === undefined) return [];
    const { podCidr, serviceCidr } = { ...workloadDefaults.network, ...given };
    const { network: existing, nodeCidr = workloadDefaults.nodeCidr } = openstack;
    const nets: [place: string, text: string, cidr: Cidr | undefined][] = Object.entries({
        "network.podCidr": podCidr,
        "network.serviceCidr": serviceCidr,
        ...(existing === undefined && { "openstack.nodeCidr": nodeCidr }),
    }).map(([at, text]) => [at, text, parseCidr(text)]);
    const families = new Set(nets.slice(0, 2).map(([, , cidr]) => cidr?.version));
    return [
        ...nets.flatMap(([at, text, cidr], i) =>
            nets
                .slice(i + 1)
                .filter(([, , other]) => cidr && other && overlap(cidr, other))
                .map(([place, other]): Problem => [at, `${text} overlaps ${place} ${other}`]),
        ),
        ...problemsOf([
            [
                families.size === 1 || families.has(undefined),
                "network.serviceCidr",
                "must be of the same kind as network.podCidr, IPv4 or IPv6",
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
    receiver,
    cloud,
    pools,
    volumes,
    network,
    ({ openstack, ...args }) => (openstack === undefined ? [] : podNetworkSize(args)),
    addresses,
    tenantsProblems,
    health,
    ...(workloadValueRules as WorkloadRule[]),
    time,
];
