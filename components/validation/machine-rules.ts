import { isIP } from "node:net";
import type { PlainArgs } from "../common/plain-args";
import { resourceName } from "../common/resource-name";
import { type ClusterRule, dnsLabel, dnsLabelRule, type Problem, portProblems, prefixed } from "./rule";

export const machines: ClusterRule = args => {
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

export const ssh: ClusterRule = args => {
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

const longestSeconds = 3600;
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
