import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../../provider/adapters/dynamic";
import type { SshTarget } from "../../../provider/ssh/types";
import { storageNode } from "../../../provider/storage/storage-leaves";
import type { SshArgs } from "../../args/ssh-args";
import type { HelperMachine, NodeMachine } from "../infrastructure";
import { inOrder } from "../node-order";
import type { CloudLogin, Site } from "./cloud-login";
import { ownLogin } from "./server-access";
import type { LoginMachine } from "./server-login";
import type { Server, Servers, StorageServerMade } from "./servers";

export interface CloudMachines {
    nodes: NodeMachine[];
    jump: HelperMachine[];
    storage?: { connection: DeepInput<SshTarget> };
    /** All machines that a rotation of the login key reaches. */
    logins: LoginMachine[];
}

/** How a cloud is asked about a server. */
export const machineSettings = ({ plan: { cloud, settings }, check }: Site) => ({
    cloud: settings,
    project: check.project as unknown as string,
    region: check.region as unknown as string,
    ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
});

/** The servers, as machines that are reached by SSH. */
export function cloudMachines(
    site: Site,
    login: CloudLogin,
    { made, storage }: { made: Servers; storage: StorageServerMade | undefined },
): CloudMachines {
    const { plan, cloud } = site.plan;
    const jumpTarget = jumpTargetOf(site, login, made);
    const connectionTo = (
        server: string,
        { address, floatingIp }: Pick<Server, "address" | "floatingIp">,
        access: SshArgs = login.access,
    ) =>
        ({
            ...access,
            host: floatingIp ?? address,
            ...(login.ownsHostKey(server) && { hostKey: login.publicHostKey(server) }),
            ...(jumpTarget && { jump: jumpTarget }),
        }) as DeepInput<SshTarget>;
    const nodes = nodeMachines(site, made, name => connectionTo(name, made.servers[name]!));
    const jump: HelperMachine[] =
        jumpTarget === undefined
            ? []
            : [{ name: plan.jumpServer!.name, purpose: "jump", connection: jumpTarget as DeepInput<SshTarget> }];
    const ofStorage = storage && {
        name: plan.storage!.name,
        node: storageNode,
        id: storage.id,
        connection: connectionTo(plan.storage!.name, storage, ownLogin(cloud, login.login.privateKey)),
    };
    return {
        ...{ nodes, jump },
        ...(ofStorage && { storage: { connection: ofStorage.connection } }),
        logins: [
            ...nodes.map(({ name: node, server, connection }) => ({ name: node, id: server!.id, connection })),
            ...(ofStorage ? [ofStorage] : []),
            // The cloud tells no id of a jump server of Heat.
            ...jump.map(each => ({ name: each.name, id: made.jumpAddress, connection: each.connection })),
        ],
    };
}

function jumpTargetOf({ plan: { plan } }: Site, { access, publicHostKey }: CloudLogin, { jumpAddress }: Servers) {
    const jump = plan.jumpServer?.name;
    if (jump === undefined || jumpAddress === undefined) return undefined;
    return { ...access, host: jumpAddress, hostKey: publicHostKey(jump) };
}

function nodeMachines(site: Site, made: Servers, connectionOf: (name: string) => DeepInput<SshTarget>): NodeMachine[] {
    const settings = machineSettings(site);
    return inOrder(site.plan.plan.servers).map(({ name, role, pool, image, flavor }): NodeMachine => {
        const replacement = site.turns?.pending.then(names => {
            const former = names.get(name);
            return names.has(name) ? { image, flavor, ...(former && { former }) } : undefined;
        });
        const { id, hostGoesWith, usedByNode = [] } = made.servers[name]!;
        return {
            ...{ name, role },
            ...(pool !== undefined && { pool }),
            purpose: "node",
            connection: connectionOf(name),
            server: {
                ...{ id, settings, usedByNode },
                ...(hostGoesWith && { hostGoesWith }),
                ...(replacement && { replacement: pulumi.output(replacement) }),
            },
        };
    });
}
