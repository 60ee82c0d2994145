import { isIPv4 } from "node:net";
import { apiServerPort } from "../../provider/endpoint/decide-endpoint";
import type { KubernetesClusterArgs } from "../args/args";
import { members } from "../infrastructure/hosts/members";
import { allMachines } from "./machine-rules";
import { atMostOne, type ClusterRule, type Problem, portProblems, within } from "./rule";

export const endpoint: ClusterRule = args => {
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
