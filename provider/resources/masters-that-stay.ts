import { NfvError } from "../errors";
import type { HostSpec, MasterAddress } from "../model";
import type { ServerInputs } from "./machine";
import { hasUnknown } from "./values";

interface Master extends ServerInputs {
    spec: Pick<HostSpec, "name" | "role" | "address" | "clusterId" | "masters">;
}

/**
 * Another address is another machine, and a cluster lives in its masters: etcd with all data is on them. So one of them must stay, by
 * name and address. Asked by the diff of a Host, so that preview refuses already. Where a Host was never made ready, its address may be
 * corrected. Servers of a cloud are out of it: their addresses follow what became of the servers.
 * @throws INVALID_INPUT
 */
export function refuseOtherMachines(olds: Master, news: Master, madeReady: boolean): void {
    const { name, role, address, clusterId, masters } = olds.spec;
    const { spec: wanted, server } = news;
    if (role !== "controlPlane" || !madeReady || olds.server !== undefined || server !== undefined) return;
    if (hasUnknown([wanted.address, wanted.clusterId, wanted.masters]) || wanted.clusterId !== clusterId) return;
    if (wanted.address === address || masters.some(one => isIn(one, wanted.masters))) return;
    const places = (list: readonly MasterAddress[]) => list.map(one => `${one.name} at ${one.address}`).join(", ");
    const never = "If this cluster never came up: pulumi destroy, then pulumi up.";
    const sole = masters.length === 1;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        cause: sole
            ? `infrastructure.hosts.controlPlane.${name}.address: ${name} is the only master of this cluster at ${address}, ` +
              `${wanted.address} is asked for: that would be another machine, and etcd with all data is on this one; nothing was touched`
            : `infrastructure.hosts.controlPlane: the masters cannot all be other machines: this cluster has ${places(masters)}, ` +
              `the program has ${places(wanted.masters)}; etcd with all data is on those that would leave; nothing was touched`,
        hint: sole
            ? `Set the address back to ${address}. To move the cluster: add two masters (it needs controlPlane.endpoint), run pulumi up, then take ${name} out. ${never}`
            : `Set the addresses back. To move the cluster: change one master's address, run pulumi up, then the next one's. ${never}`,
    });
}

function isIn({ name, address }: MasterAddress, masters: readonly MasterAddress[]): boolean {
    return masters.some(other => other.name === name && other.address === address);
}
