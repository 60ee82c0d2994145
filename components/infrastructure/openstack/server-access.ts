import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { SshKeyPair } from "../../../provider/openstack/host-key";
import { userData } from "../../../provider/openstack/user-data";
import type { CloudServersArgs } from "../../args/infrastructure-args";
import type { SshArgs } from "../../args/ssh-args";

/** User that we create on our servers. */
const ourUser = "nfv";

/** True without a key pair of the user: then our user data contains the host keys and the login. */
export function ownsAccess({ keyPair }: CloudServersArgs): boolean {
    return keyPair === undefined;
}

/** Value of the owner's tag or metadata, derived from this state's key: a resource with another value does not belong to this state. */
export function ownerOf(publicKey: string): string {
    return createHash("sha256").update(publicKey.trim().split(/\s+/).slice(0, 2).join(" ")).digest("hex").slice(0, 16);
}

/** SSH settings that all servers share. */
export function commonAccess(cloud: CloudServersArgs, privateKey: pulumi.Output<string>): SshArgs {
    const ours = ownsAccess(cloud) ? { user: ourUser, privateKey } : {};
    return { ...ours, ...cloud.ssh };
}

/** The same for a server that always gets our user data: settings of a user's template may be of servers that do not. */
export function ownLogin(cloud: CloudServersArgs, privateKey: pulumi.Output<string>): SshArgs {
    const access = commonAccess(cloud, privateKey);
    if (!ownsAccess(cloud)) return access;
    const { passphrase: _passphrase, password: _password, agent: _agent, ...others } = access;
    return { ...others, privateKey };
}

/** cloud-init's part of the access. Secret. */
export function serverUserData(
    server: { name: string; userData?: string },
    cloud: CloudServersArgs,
    keys: { hostKey: pulumi.Output<SshKeyPair>; publicKey: pulumi.Output<string> },
): pulumi.Output<string> {
    const user = ownsAccess(cloud) ? ((cloud.ssh?.user as string | undefined) ?? ourUser) : undefined;
    const { name, userData: own } = server;
    return pulumi.secret(
        pulumi
            .all([keys.hostKey, keys.publicKey])
            .apply(([hostKey, publicKey]) => userData({ name, hostKey, user, publicKey, own })),
    );
}
