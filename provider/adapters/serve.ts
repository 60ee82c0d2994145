import type { RunSession } from "../common/run-session";
import { refuseAfterFailure } from "../contract/failures";
import { runFacts } from "../contract/run-facts";
import type { Checked, Diff, InSession, Observed } from "../contract/types";
import { expectRecordedKeys } from "../machine/machine";
import { withPresentKeys } from "../machine/rotated-connections";
import { isMachine, isStored, isUpToDate, mustBeInProgram } from "../machine/stored-machine";
import { operationOf, plannedActs, runsSteps } from "../member/planned-acts";
import type { SshTarget } from "../ssh";
import { descriptorOf, resourceType } from "./descriptors";
import type { AboutToAct, PlannedRun } from "./planned-run";
import type { Messages } from "./progress";
import { closed, machineIn, open, type Properties, plain, urnIn } from "./properties";
import { checkIn } from "./serve-check";
import { diffIn, isRenamed } from "./serve-diff";
import { ServedRun } from "./served-run";

/** The methods of all resource types, by the type's name. */
export interface Provider {
    check(type: string, olds: Properties, news: Properties): Promise<Checked<object>>;
    diff(type: string, id: string, olds: Properties, news: Properties): Diff;
    create(type: string, inputs: Properties): Promise<{ id: string; outs: object }>;
    read(type: string, id: string, state: Properties): Promise<Observed<object, object>>;
    update(type: string, id: string, olds: Properties, news: Properties): Promise<{ outs: object }>;
    delete(type: string, id: string, state: Properties): Promise<void>;
}

/** The resources of one run. `session`: what they share; another run needs another one. `readPlannedRun`: what it may do; without one, everything. */
export function serve(
    session: RunSession,
    messages: Messages,
    readPlannedRun: () => PlannedRun | undefined = () => undefined,
): Provider {
    const run = new ServedRun(session, messages, readPlannedRun);
    return {
        check: (type, olds, news) => checkIn(run, type, olds, news),
        diff: (type, id, olds, news) => diffIn(run, type, id, olds, news),
        create: (type, inputs) => run.answering(type, inputs, () => create(run, type, inputs)),
        read: async (type, id, state) => plain(await read(run, type, id, state)),
        update: (type, id, olds, news) => run.answering(type, news, () => update(run, type, id, olds, news)),
        delete: (type, id, state) => run.cancelling(() => remove(run, type, id, state)),
    };
}

async function create(run: ServedRun, type: string, inputs: Properties) {
    const given = givenInputs(run, type, inputs);
    run.planned()?.create(aboutTo(type, given));
    return resourceType(type).create(open(type, given), run.contextOf(type, given));
}

async function read(run: ServedRun, type: string, id: string, state: Properties): Promise<Observed<object, object>> {
    const { props, inputs, ...others } = await run.cancelling(() =>
        resourceType(type).read(id, open(type, state), run.contextOf(type, state)),
    );
    return {
        ...others,
        ...(props !== undefined && { props: closed(type, state, props) }),
        ...(inputs !== undefined && { inputs: closed(type, state, inputs) }),
    };
}

async function update(run: ServedRun, type: string, id: string, olds: Properties, news: Properties) {
    const given = givenInputs(run, type, news);
    refuseUnplannedUpdate(run, aboutTo(type, given, id), olds, news);
    // Only the name has changed: no machine is asked, as one that is silent must not stop a renaming.
    if (isMachine(type) && isRenamed(run, type, olds, news) && isUpToDate(olds, news))
        return { outs: { ...open(type, olds), resourceUrn: open(type, given)["resourceUrn"] } };
    return resourceType(type).update(id, open(type, olds), open(type, given), run.contextOf(type, given));
}

async function remove(run: ServedRun, type: string, id: string, state: Properties): Promise<void> {
    if (isMachine(type)) expectRecordedKeys(run, open(type, state));
    refuseAfterFailure(run, type);
    run.planned()?.delete(aboutTo(type, state, id));
    const context = run.contextOf(type, state);
    await resourceType(type).delete(id, presentlyReached(run, open(type, state)), context);
    runFacts(context).did.deleted.add(`${type} ${context.urn.split("::").at(-1)}`);
}

/** The inputs as the program gave them. */
function givenInputs(run: ServedRun, type: string, inputs: Properties): Properties {
    return isMachine(type) && isStored(inputs) ? mustBeInProgram(run, type, machineIn(type, inputs)) : inputs;
}

function aboutTo(type: string, properties: Properties, id?: string): AboutToAct {
    const opened = open(type, properties);
    const { spec } = opened as { spec?: { name?: unknown } };
    return {
        ...{ type, urn: urnIn(opened) },
        ...(id !== undefined && { id }),
        ...(isMachine(type) && { node: String(spec?.name) }),
    };
}

function refuseUnplannedUpdate(run: ServedRun, changed: AboutToAct, olds: Properties, news: Properties): void {
    const { type, urn } = changed;
    const planned = run.planned();
    if (planned === undefined) return;
    const operation = operationOf(news);
    const disrupts = descriptorOf(type)?.disrupts;
    planned.update(changed, {
        ...(runsSteps(news) && { acts: plannedActs(olds, news) }),
        disrupts:
            typeof disrupts === "function" && disrupts({ act: "update", state: olds, inputs: news }) !== undefined,
        ...(operation !== undefined && { operation }),
    });
    // Of others the state and the inputs do not tell all steps: the snapshots of another machine begin anew, for instance.
    if (isMachine(type)) runFacts(run).program.plannedSteps.set(urn, title => planned.mayRun(changed, title));
}

/** The state of what goes, reached as this run's program says. */
function presentlyReached(context: InSession, state: Properties): Properties {
    const { connection } = state;
    if (typeof connection !== "object" || connection === null) return state;
    return { ...state, connection: withPresentKeys(context, connection as SshTarget) };
}
