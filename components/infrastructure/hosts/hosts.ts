import { type DeepInput, OperationStart } from "../../../provider/adapters/dynamic";
import type { OperationStartSpec } from "../../../provider/operation/operation-start-inputs";
import type { KubernetesClusterArgs } from "../../args/args";
import { sshTarget } from "../../common/ssh-target";
import { healWish } from "../heal-wish";
import type { InfrastructureFactory, NodeMachine } from "../infrastructure";
import { removal } from "../removal";
import { type Member, members, placedMembers } from "./members";

/** Machines that exist. */
export const hosts: InfrastructureFactory = ({ name, args, parent }) => {
    const { nodes, addresses } = placedMembers(args);
    const machine = ({ name: node, role, pool, machine: given }: Member): NodeMachine => ({
        name: node,
        role,
        ...(pool !== undefined && { pool }),
        purpose: "node",
        connection: sshTarget(args.infrastructure.hosts!.ssh, given),
        programPath: programPath(node, pool),
    });
    return {
        nodes,
        parent,
        preflight: [],
        fileContents: {},
        addresses,
        provision: ({ clusterId, compared, kept, record, hooks }) => {
            const clusterName = args.clusterName ?? name;
            const spec = {
                clusterId,
                clusterName,
                backEnd: "hosts" as const,
                nodes: hostNodes(args),
                ...compared,
                ...removal(args),
            };
            return {
                start: new OperationStart(
                    name,
                    {
                        spec,
                        keptInputs: kept,
                        ...healWish(args),
                        ...(hooks && { hooks: hooks.input, before: hooks.before }),
                    },
                    { parent, dependsOn: record ?? [] },
                ),
                machines: nodes.map(machine),
                addresses,
                endOf: hooks?.endOf,
                ssh: args.infrastructure.hosts!.ssh,
            };
        },
    };
};

/** Path of a machine in the program's inputs. */
function programPath(node: string, pool: string | undefined): string {
    return `infrastructure.hosts.${pool === undefined ? "controlPlane" : `pools.${pool}`}.${node}`;
}

/** Existing machines as nodes of an operation. */
export function hostNodes(args: KubernetesClusterArgs): DeepInput<OperationStartSpec["nodes"]> {
    return Object.fromEntries(
        members(args).map(({ name, role, pool, machine }) => [
            name,
            { role, ...(pool !== undefined && { pool }), machine: machine.address },
        ]),
    );
}
