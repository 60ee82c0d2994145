import type * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/adapters/dynamic";
import type { SshTarget } from "../../provider/ssh/types";
import type { SshArgs } from "../args/ssh-args";

/** How a machine is reached: the settings of all machines, overridden by its own. */
export function sshTarget(
    defaultSettings: SshArgs | undefined,
    { address, ssh }: { address: pulumi.Input<string>; ssh?: SshArgs },
): DeepInput<SshTarget> {
    return { ...defaultSettings, ...ssh, host: ssh?.host ?? address } as DeepInput<SshTarget>;
}
