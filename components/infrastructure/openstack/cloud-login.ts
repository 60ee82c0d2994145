import * as pulumi from "@pulumi/pulumi";
import { type CloudCheck, ServerKeys } from "../../../provider/adapters/dynamic";
import { hostKeyOf } from "../../../provider/openstack/host-key";
import type { SshArgs } from "../../args/ssh-args";
import type { InfrastructureRequest, Replacing } from "../infrastructure";
import type { ClusterOnServers } from "./back-end";
import type { CloudPlan } from "./plan-cloud";
import { commonAccess, ownsAccess } from "./server-access";
import { type LoginWord, loginForKeys, loginWord, type ServerLogin, serverLogin } from "./server-login";
import type { ServerMaker } from "./server-maker";

/** What exists before the first part of the cluster is made. */
export interface Site {
    plan: CloudPlan;
    /** Everything waits for this check. */
    check: CloudCheck;
    /** Parent of the resources that another back end creates separately. */
    cluster: ClusterOnServers;
    maker: ServerMaker;
    /** If the program asks for new servers. */
    turns?: Replacing;
}

/** How the servers are reached, and by which host keys they are known. */
export interface CloudLogin {
    keys: ServerKeys;
    /** The login that servers get. */
    login: ServerLogin;
    rotated: LoginWord;
    access: SshArgs;
    publicHostKey(server: string): pulumi.Output<string>;
    /** A user's template may have its own user data; then the server makes its own host key. */
    ownsHostKey(server: string): boolean;
    /** Of all nodes. */
    ownsKeys: boolean;
}

export function cloudLogin(
    { name, args, parent }: InfrastructureRequest,
    { plan: { cloud, plan, own, nameInput }, check, cluster }: Site,
): CloudLogin {
    const rotated = loginWord(name, args.rotate?.loginKey, {
        clusterName: plan.clusterName,
        parents: { rotation: cluster, keys: parent },
    });
    const named = { clusterName: plan.clusterName, ...(nameInput && { nameInput }) };
    const keys = new ServerKeys(name, { ...named, ...loginForKeys(rotated) }, { parent, dependsOn: [check] });
    const login = serverLogin(keys, rotated);
    const ownsHostKey = (server: string) => {
        const usersOwn = own?.stack.nodes.find(node => node.name === server && !node.userDataParameter);
        return ownsAccess(cloud) && usersOwn === undefined;
    };
    return {
        ...{ keys, login, rotated, ownsHostKey },
        access: commonAccess(cloud, login.privateKey),
        publicHostKey: server => pulumi.unsecret(keys.seed).apply(seed => hostKeyOf(seed, server).publicKey),
        // Without nodes there may still be a storage server, whose host key is not ours either.
        ownsKeys: ownsAccess(cloud) && plan.servers.every(server => ownsHostKey(server.name)),
    };
}
