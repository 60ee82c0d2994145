import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../../provider/adapters/dynamic";
import type { SshTarget } from "../../../provider/ssh/types";

/** Lines for a `known_hosts` of OpenSSH. Servers whose keys are not ours are left out. */
export function knownHosts(connections: readonly DeepInput<SshTarget>[]): pulumi.Output<string> {
    return pulumi.unsecret(pulumi.output(connections)).apply(all =>
        (all as SshTarget[])
            .flatMap(({ host, port = 22, hostKey }) => {
                const place = port === 22 ? host : `[${host}]:${port}`;
                return hostKey === undefined ? [] : [`${place} ${hostKey}\n`];
            })
            .join(""),
    );
}
