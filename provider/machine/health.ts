import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { Context, InSession } from "../contract/types";
import { type Cure, type Finding, wordsOf } from "../health/findings";
import type { MachineLook } from "../health/look";
import type { StepState } from "./machine";
import type { Seen } from "./machine-look";

/** It starts kubelet, and with its settings in place does nothing else. */
export const kubeletStep = "node.kubelet-settings";
/** It writes containerd's configuration and restarts it. On nodes in use, one machine after another does it. */
export const runtimeStep = "host.container-runtime-config";

/** What a resource's next `up` does about findings: which steps it does again, and how preview calls that. */
export type Cures = Partial<Record<Cure, { steps: ReadonlySet<string>; todo: string }>>;

/** How a machine is, and what the steps of its resources left there. A refresh goes on without that. */
export function healthOf(name: string, { machine }: Seen, context: Pick<Context, "warn">): MachineLook | undefined {
    if (!(machine instanceof NfvError)) return machine;
    const [why] = machine.reason.split("\n");
    context.warn(`${name}: how the machine is was not found out: ${why}`);
    return undefined;
}

/** One line for each machine. */
export function tell(name: string, found: readonly Finding[], context: Context): void {
    record(name, found, context);
    if (found.length > 0) context.warn(`${name}: ${wordsOf(found)}`);
}

/** For whoever tells them in words of its own. */
export function record(name: string, found: readonly Finding[], context: InSession): void {
    const { findings } = runFacts(context).seen;
    for (const { cure: _, ...finding } of found) {
        // The Host and the Node of a machine may both find it.
        if (!findings.some(({ node, code }) => node === name && code === finding.code))
            findings.push({ node: name, ...finding });
    }
}

/** The steps that `up` does again because of these findings. */
export function curedSteps(found: readonly Finding[], cures: Cures): Set<string> {
    return new Set(dueCures(found, cures).flatMap(({ steps }) => [...steps]));
}

function dueCures(found: readonly Finding[], cures: Cures) {
    return found.filter(({ up }) => up !== undefined).flatMap(({ cure }) => cures[cure] ?? []);
}

/** The state in which the steps are undone that `up` does again because of these findings, and no others. */
export function withCures<State extends StepState>(state: State, found: readonly Finding[], cures: Cures): State {
    const cured = curedSteps(found, cures);
    const done = Object.entries(state.done).filter(([step]) => !cured.has(step));
    // What an earlier refresh found may be over.
    const former = new Set(Object.values(cures).map(({ todo }) => todo));
    const todo = new Set(dueCures(found, cures).map(each => each.todo));
    const pending = [...(state.pending ?? []).filter(each => !former.has(each)), ...todo];
    return {
        ...state,
        done: Object.fromEntries(done),
        ...((pending.length > 0 || state.pending !== undefined) && { pending }),
    };
}
