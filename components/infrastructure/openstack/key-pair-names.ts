import { isEngine, programSession } from "../../../provider/adapters/hooks";
import { invalidInput } from "../../common/invalid-input";
import type { CloudPlan } from "./plan-cloud";

/** Which resource of the program makes the key pair of a name, by cloud and name. */
class KeyPairNames extends Map<string, string> {}

/** The input that gives the key pair another name. */
const inputs = { KubernetesCluster: "clusterName", StorageServer: "serverName" };

/**
 * In a cloud a user has one key pair of a name, so the second of two resources would fail there, when servers of the first one are made already. Resources
 * whose settings name the same cloud in other words are not noticed here, but there.
 * @throws INVALID_INPUT
 */
export function claimKeyPair(
    { settings: { cloud = "", region = "" }, plan: { keyPair } }: Pick<CloudPlan, "settings" | "plan">,
    resource: keyof typeof inputs,
    name: string,
): void {
    // Tests of a user make one program after another with the same mocks.
    if (!keyPair.made || !isEngine()) return;
    const names = programSession().part(KeyPairNames);
    const place = JSON.stringify([cloud, region, keyPair.name]);
    const other = names.get(place);
    if (other !== undefined) {
        const input = inputs[resource];
        const problem = `the key pair "${keyPair.name}" is made by ${other} of this program, too, and a cloud has only one of a name`;
        const ways = `give the one that does not exist yet another name (${input}), or a key pair of yours (keyPair)`;
        throw invalidInput(resource, name, [`${input}: ${problem}: ${ways}`]);
    }
    names.set(place, `${resource} "${name}"`);
}
