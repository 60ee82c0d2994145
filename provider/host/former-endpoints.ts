import { NfvError } from "../common/errors";
import type { EndpointSpec, HostSpec } from "../common/model";
import type { Context } from "../contract/types";
import { formerEndpoints, refusedBeside } from "../endpoint/endpoint-change";
import { formersText, noteFormersScript, parseFormers } from "../endpoint/side-by-side";
import type { MachineStatus } from "../kubeadm/machine-status";
import type { Connection } from "../ssh";
import { type Act, runAct } from "../steps";

/**
 * Endpoints that a machine must keep serving: members of the cluster use them until `moveEndpoint` has moved each of
 * them. They are recorded on the machine before the first change, so that a later run knows them. A machine that is not
 * a member serves no other machine yet. `before`: the former spec of its Host.
 * @throws INVALID_INPUT if the former and the wanted endpoint cannot be served at the same time
 */
export async function noteFormers(
    { clusterId, name, endpoint }: HostSpec,
    connection: Connection,
    before: Pick<HostSpec, "endpoint"> | undefined,
    facts: MachineStatus,
    context: Pick<Context, "report" | "signal">,
): Promise<EndpointSpec[]> {
    if (facts.memberOf !== clusterId) return [];
    const known = [...parseFormers(facts.formers ?? []), ...(before === undefined ? [] : [before.endpoint])];
    const formers = formerEndpoints(endpoint, known);
    if (formers.length === 0) return [];
    const cause = refusedBeside(endpoint, formers);
    if (cause !== undefined) throw new NfvError({ code: "INVALID_INPUT", node: name, cause });
    const note: Act = {
        id: "endpoint.note-former",
        title: "note the former endpoint",
        target: "self",
        run: noteFormersScript,
        env: { FORMERS: formersText(formers) },
        timeoutSeconds: 30,
    };
    const { report, signal } = context;
    await runAct(note, { node: name, clusterId, connection, report, signal });
    return formers;
}
