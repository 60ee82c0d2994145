import { hostKeyOf } from "../openstack/host-key";
import { anyOf, keyOfThisRun } from "../ssh";

/** What a server of ours may show, as SshTarget.hostKey has it. `seeds`: a line for each; two of them while its key becomes another one. */
export function heldKeys(seeds: string, server: string): string {
    return anyOf(seeds.split("\n").map(seed => (seed === keyOfThisRun ? seed : hostKeyOf(seed, server).publicKey)));
}
