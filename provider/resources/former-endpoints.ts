import { formerEndpoints, refusedBeside } from "../endpoint/endpoint-change";
import { formersText, noteFormersScript, parseFormers } from "../endpoint/side-by-side";
import { NfvError } from "../errors";
import type { MachineFacts } from "../kubeadm/machine-facts";
import type { EndpointSpec, HostSpec } from "../model";
import type { Connection } from "../ssh";
import { runScript } from "../steps/run-script";
import { named } from "./machine";

/**
 * Endpoints that a machine goes on serving: members of the cluster talk to them until `moveEndpoint` has brought each of them to the
 * wanted one. They are noted on the machine before the first change, so that whoever goes on from here knows them. A machine that is no
 * member serves nothing to others yet. `before`: what its Host had last.
 * @throws INVALID_INPUT where they cannot stand side by side
 */
export async function noteFormers(
    { clusterId, name, endpoint }: HostSpec,
    connection: Connection,
    before: HostSpec | undefined,
    facts: MachineFacts,
): Promise<EndpointSpec[]> {
    if (facts.memberOf !== clusterId) return [];
    const known = [...parseFormers(facts.formers ?? []), ...(before === undefined ? [] : [before.endpoint])];
    const formers = formerEndpoints(endpoint, known);
    if (formers.length === 0) return [];
    const cause = refusedBeside(endpoint, formers);
    if (cause !== undefined) throw new NfvError({ code: "INVALID_INPUT", node: name, cause });
    const env = { FORMERS: formersText(formers) };
    const call = { script: noteFormersScript, env, timeoutSeconds: 30, node: name, step: "note the former endpoint" };
    await named(name, () => runScript(connection, call));
    return formers;
}
