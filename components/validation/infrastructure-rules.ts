import { isIP, isIPv4 } from "node:net";
import { cidrProblem, contains, overlap, parseCidr } from "../../provider/common/cidr";
import type { CloudServersArgs, HeatArgs } from "../args/infrastructure-args";
import { defaults, type PlainArgs } from "../common/plain-args";
import { chosenNumber } from "../infrastructure/choose-nodes";
import { backEndOf, cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { cloudDefaults } from "../infrastructure/openstack/plan/plan-servers";
import { controlPlaneKey, serverGroups } from "../infrastructure/openstack/plan/server-groups";
import { serverName, serverNumbers } from "../infrastructure/openstack/plan/server-names";
import { sshProblems } from "./machine-rules";
import { dnsLabel, dnsLabelRule, type Problem, type Rule, within } from "./rule";
import { choice, serverProblems } from "./server-rules";

type InfrastructureRule = Rule<PlainArgs>;
/** A rule for servers of a cloud. It gets the settings of the back end and their place. */
type CloudRule = (args: PlainArgs, cloud: CloudServersArgs, place: string) => Problem[];

const backEnds = ["hosts", "heat", "nova"] as const;
const floatingIps = ["all", "controlPlane", "none"];
const leftoverWays = ["delete", "list"];

const exactlyOne: InfrastructureRule = ({ infrastructure }) =>
    backEnds.filter(key => infrastructure[key] !== undefined).length === 1
        ? []
        : [["infrastructure", `set exactly one of: ${backEnds.join(", ")}`]];

/** Settings that only servers of a cloud have. */
const hosts: InfrastructureRule = args => {
    if (!args.infrastructure.hosts) return [];
    const groups = [
        ["controlPlane", args.controlPlane] as const,
        ...Object.entries(args.pools ?? {}).map(([pool, group]) => [`pools.${pool}`, group] as const),
    ];
    return groups.flatMap(([place, group]) =>
        (["flavor", "server"] as const)
            .filter(key => group?.[key] !== undefined)
            .map((key): Problem => [`${place}.${key}`, "has no meaning with infrastructure.hosts: use heat or nova"]),
    );
};

const counts: CloudRule = args =>
    [
        ...([1, 3, 5].includes(args.controlPlane?.count ?? 1)
            ? []
            : [
                  [
                      "controlPlane.count",
                      `${args.controlPlane?.count} is not allowed: 1, 3 or 5 (etcd needs a majority)`,
                  ],
              ]),
        ...Object.entries(args.pools ?? {})
            .filter(([, { count = 1 }]) => !Number.isInteger(count) || count < 0)
            .map(([pool, { count }]): Problem => [`pools.${pool}.count`, `${count} is not allowed: 0 or more`]),
    ] as Problem[];

const longestName = 63;
/** Neutron's tags hold 60 characters, with "pulumi-nfv.cluster=" before the name. */
export const longestClusterName = 41;

/** Pools' names become part of servers' and nodes' names. */
const names: CloudRule = args => {
    const { clusterName = "" } = args;
    const problems: Problem[] = [];
    if (clusterName.length > longestClusterName) {
        const why = "the cloud's tags hold no more";
        problems.push(["clusterName", `must be of at most ${longestClusterName} characters with heat or nova: ${why}`]);
    }
    for (const { path, pool, count, remove, key } of serverGroups(args)) {
        if (pool === undefined) continue;
        const highest = chosenNumber(count, serverNumbers(remove, clusterName, key));
        const longest = serverName(clusterName, key, highest);
        if (pool === controlPlaneKey)
            problems.push([path, "the name is the one of the masters' servers: take another"]);
        else if (!dnsLabel.test(pool)) problems.push([path, dnsLabelRule]);
        else if (longest.length > longestName) {
            problems.push([path, `servers would be called "${longest}": more than ${longestName} characters`]);
        }
    }
    return problems;
};

/** Flavor and image come from the group or from the settings of all servers. */
const flavorAndImage: CloudRule = (args, cloud, place) => {
    if (templateOf(cloud)) return [];
    return serverGroups(args)
        .filter(({ count }) => count > 0)
        .flatMap(({ path, flavor, settings }): Problem[] => [
            ...((flavor ?? cloud.flavor)
                ? []
                : [[`${path}.flavor`, `is required, or ${place}.flavor for all servers`] as Problem]),
            ...((settings.image ?? cloud.image)
                ? []
                : [[`${path}.server.image`, `is required, or ${place}.image for all servers`] as Problem]),
        ]);
};

const servers: CloudRule = (args, cloud, place) => [
    ...serverProblems(`${place}.server`, cloud.server),
    ...serverGroups(args).flatMap(({ path, own }) => serverProblems(`${path}.server`, own)),
];

const network: CloudRule = (args, cloud, place) => {
    if (templateOf(cloud)) return [];
    const problems = networkProblems(cloud, place);
    const { network: given = {} } = cloud;
    if (given.network !== undefined || problems.some(([at]) => at === `${place}.network.cidr`)) return problems;
    return [...problems, ...overlapProblems(args, given.cidr ?? cloudDefaults.networkCidr, `${place}.network.cidr`)];
};

/** What is wrong with the network, whatever is in it. */
function networkProblems({ network: given = {}, externalNetwork }: CloudServersArgs, place: string): Problem[] {
    const at = `${place}.network`;
    if (given.network !== undefined) {
        return (["router", "cidr", "dnsServers", "mtu"] as const)
            .filter(key => given[key] !== undefined)
            .map(
                (key): Problem => [
                    `${at}.${key}`,
                    "is only for a network that is made: network.network names an existing one",
                ],
            );
    }
    const problems: Problem[] = [];
    if (given.subnet !== undefined) problems.push([`${at}.subnet`, "needs network.network, whose subnet it is"]);
    if (given.router === undefined && externalNetwork === undefined) {
        const ways = `or ${at}.router, or ${at}.network for an existing one`;
        problems.push([`${place}.externalNetwork`, `is required for the router of the network that is made, ${ways}`]);
    }
    for (const [i, server] of (given.dnsServers ?? []).entries()) {
        if (isIP(server) === 0) problems.push([`${at}.dnsServers.${i}`, `"${server}" is no IP address`]);
    }
    if (!within(given.mtu, 576, 65535)) problems.push([`${at}.mtu`, `${given.mtu} is not allowed: 576 to 65535`]);
    const problem = subnetProblem(given.cidr ?? cloudDefaults.networkCidr);
    return problem === undefined ? problems : [...problems, [`${at}.cidr`, problem]];
}

function subnetProblem(text: string): string | undefined {
    if (parseCidr(text)?.version !== 4) return `"${text}" is no IPv4 network: write it like "10.100.0.0/24"`;
    return cidrProblem(text, "10.100.0.0/24");
}

function overlapProblems(args: PlainArgs, text: string, place: string): Problem[] {
    const cidr = parseCidr(text)!;
    const others = {
        "network.podCidr": args.network?.podCidr ?? defaults.podCidr,
        "network.serviceCidr": args.network?.serviceCidr ?? defaults.serviceCidr,
    };
    const problems = Object.entries(others).flatMap(([other, otherText]): Problem[] => {
        const parsed = parseCidr(otherText);
        return parsed && overlap(cidr, parsed) ? [[place, `${text} overlaps ${other} ${otherText}`]] : [];
    });
    const vip = args.controlPlane?.endpoint?.vip?.address;
    if (vip !== undefined && isIPv4(vip) && !contains(cidr, vip)) {
        problems.push(["controlPlane.endpoint.vip.address", `${vip} lies outside of the nodes' network ${text}`]);
    }
    return problems;
}

const access: CloudRule = (_, cloud, place) => accessProblems(cloud, place);

function accessProblems({ access: given = {}, externalNetwork, ssh }: CloudServersArgs, place: string): Problem[] {
    const at = `${place}.access`;
    const problems: Problem[] = [...choice(`${at}.floatingIps`, given.floatingIps, floatingIps)];
    const wanted = given.floatingIps !== undefined && given.floatingIps !== "none";
    const wishes = [
        { place: `${at}.floatingIps`, wanted },
        { place: `${at}.apiFloatingIp`, wanted: given.apiFloatingIp === true },
        { place: `${at}.jumpServer`, wanted: given.jumpServer !== undefined },
    ];
    if (externalNetwork === undefined) {
        for (const wish of wishes.filter(row => row.wanted)) {
            problems.push([wish.place, `needs ${place}.externalNetwork, from which floating IPs come`]);
        }
    }
    if (given.jumpServer && wanted) {
        problems.push([`${at}.floatingIps`, "has no meaning with jumpServer, through which all others are reached"]);
    }
    if (given.jumpServer && ssh?.jump)
        problems.push([`${place}.ssh.jump`, `set only one of: ssh.jump, access.jumpServer`]);
    for (const key of ["sshCidrs", "apiCidrs", "nodePortCidrs"] as const) {
        for (const [i, text] of (given[key] ?? []).entries()) {
            const problem = cidrProblem(text, "10.0.0.0/8");
            if (problem !== undefined) problems.push([`${at}.${key}.${i}`, problem]);
        }
    }
    return problems;
}

/** We do not have the private key of a key pair that we did not make. */
const keyPair: CloudRule = (_, cloud, place) => keyPairProblems(cloud, place);

function keyPairProblems({ keyPair: given, ssh }: CloudServersArgs, place: string): Problem[] {
    if (given === undefined) return [];
    const has = (key: string) => ssh !== undefined && key in ssh;
    return [
        ...(has("user") ? [] : [[`${place}.ssh.user`, "is required with keyPair: the image's user"] as Problem]),
        ...(has("privateKey") || has("agent")
            ? []
            : [[`${place}.ssh.privateKey`, "is required with keyPair, or ssh.agent"] as Problem]),
    ];
}

const ssh: CloudRule = (_, cloud, place) => loginProblems(cloud, place);

function loginProblems(cloud: CloudServersArgs, place: string): Problem[] {
    return sshProblems(`${place}.ssh`, cloud.ssh as Parameters<typeof sshProblems>[1]);
}

const words: CloudRule = (_, cloud, place) => wordProblems(cloud, place);

function wordProblems(cloud: CloudServersArgs, place: string): Problem[] {
    const { timeoutMinutes } = cloud as HeatArgs;
    return [
        ...choice(`${place}.leftovers`, cloud.leftovers, leftoverWays),
        ...positive(`${place}.bootTimeoutSeconds`, cloud.bootTimeoutSeconds),
        ...positive(`${place}.timeoutMinutes`, timeoutMinutes),
    ];
}

/** Inputs that a user's template replaces. */
const ofTemplates = ["image", "flavor", "externalNetwork", "network", "access", "server", "keyPair"] as const;

const template: CloudRule = (args, cloud, place) => {
    if (!templateOf(cloud)) return [];
    const why = `has no meaning with ${place}.template, which says it`;
    const groups = serverGroups(args).flatMap(({ path, flavor, own }) => [
        ...(flavor === undefined ? [] : [`${path}.flavor`]),
        ...(Object.keys(own).length === 0 ? [] : [`${path}.server`]),
    ]);
    const set = ofTemplates.filter(key => cloud[key] !== undefined).map(key => `${place}.${key}`);
    return [...set, ...groups].map((at): Problem => [at, why]);
};

const cloudRules: CloudRule[] = [
    counts,
    names,
    flavorAndImage,
    servers,
    network,
    access,
    keyPair,
    ssh,
    words,
    template,
];

/** What is wrong with a cloud in which there are no nodes. */
export function cloudProblems(cloud: CloudServersArgs, place: string): Problem[] {
    return [networkProblems, accessProblems, keyPairProblems, loginProblems, wordProblems].flatMap(each =>
        each(cloud, place),
    );
}

export const infrastructureRules: InfrastructureRule[] = [
    exactlyOne,
    hosts,
    args => {
        const cloud = cloudOf(args);
        const place = `infrastructure.${backEndOf(args)}`;
        return cloud ? cloudRules.flatMap(rule => rule(args, cloud, place)) : [];
    },
];

function templateOf(cloud: CloudServersArgs): HeatArgs["template"] {
    return (cloud as HeatArgs).template;
}

function positive(place: string, value: number | undefined): Problem[] {
    return value === undefined || value > 0 ? [] : [[place, "must be greater than 0"]];
}
