import type { Context, Observed } from "../contract/types";
import { findings } from "../health/findings";
import type { MachineLook } from "../health/look";
import { cureWords } from "../machine/cure-words";
import { type Cures, healthOf, runtimeStep, tell, withCures } from "../machine/health";
import { observeMachine } from "../machine/journal";
import { foundDrift } from "../machine/machine-drift";
import type { HostInputs, HostState } from "./host-state";

/** By cure: the steps that `up` does again. */
const curesOfHost: Cures = {
    "restart container runtime": { steps: new Set([runtimeStep]), todo: cureWords.runtime.todo },
};

/** What a refresh finds of a host on its machine. */
export async function readHost(
    id: string,
    state: HostState,
    context: Context,
): Promise<Observed<HostInputs, HostState>> {
    const isOurs = (step: string) => step.startsWith("host.");
    let look: MachineLook | undefined;
    const observed = await observeMachine<HostInputs, HostState>(id, state, context, isOurs, shown => {
        look = healthOf(state.spec.name, shown, context);
    });
    if (observed.props === undefined) return observed;
    const found = findings({ name: state.spec.name, machine: look?.facts });
    // Of a node, its Node tells all findings in one line.
    if (look?.facts.joined === false) tell(state.spec.name, found, context);
    const props = foundDrift(observed.props, look, found, curesOfHost, context);
    return { ...observed, props: withCures(props, found, curesOfHost) };
}
