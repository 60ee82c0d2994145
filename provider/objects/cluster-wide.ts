import { NfvError } from "../common/errors";
import { lookOrKeep } from "../contract/look-or-keep";
import type { Context, ResourceType } from "../contract/types";
import { changed, failuresOf, hasUnknown, same, text, textMap } from "../contract/values";
import { untilControlPlaneReady } from "../machine/control-plane-ready";
import {
    acceptedDrift,
    type DriftInput,
    type DriftState,
    driftChanges,
    driftNote,
    driftOfSteps,
    openDrift,
    tellDrift,
    withDrift,
    withNote,
} from "../machine/drift";
import { isLeftUndone, operate, type Peer, type StepInputs, type StepState } from "../machine/machine";
import { readyControlPlaneNode } from "../machine/machine-statuses";
import { otherLogins } from "../machine/other-logins";
import { type ChangeNumberInput, clusterWideDiff, mayHaveGoneBack } from "../operation/wishes";
import type { Connection } from "../ssh";
import type { Fingerprints, Step, StepFactory } from "../steps";
import { forgetStep, plan, stale } from "../steps";
import { observe } from "../steps/observe";
import { isStale } from "../steps/plan";

/** Inputs of a resource that concerns the whole cluster and acts on a ready control-plane node. */
export interface ClusterWideInputs<Spec> extends StepInputs, ChangeNumberInput, DriftInput {
    spec: Spec;
    /** All control-plane nodes; the first one that is ready is used. */
    controlPlane: Peer[];
}

export interface ClusterWideState<Spec> extends ClusterWideInputs<Spec>, StepState, DriftState {}

/** What such a resource does. */
export interface ClusterWide<Spec> {
    type: string;
    factories: readonly StepFactory<Spec>[];
    /**
     * For a refresh: tests, on a ready control-plane node, whether what the steps made still exists. If not, the steps
     * run again. @default it does
     */
    isThere?(spec: Spec, master: Connection): Promise<boolean>;
    /**
     * For a refresh: the steps are compared with what they made, and so is what these would make, which run only where it was changed.
     * @default nothing is compared
     */
    compared?: readonly StepFactory<Spec>[];
}

type Inputs<Spec> = ClusterWideInputs<Spec>;
type State<Spec> = ClusterWideState<Spec>;

/**
 * A resource whose steps run on the first control-plane node that is ready. Deleting it does nothing in the cluster:
 * what it made goes with the cluster.
 */
export function clusterWide<Spec extends { clusterId: string }>(
    made: ClusterWide<Spec>,
): ResourceType<Inputs<Spec>, State<Spec>> {
    return {
        check: (_olds, news) => ({
            inputs: news,
            failures: failuresOf(news, { "spec.clusterId": text, steps: textMap }),
        }),
        diff: (_id, olds, news) => {
            const replaces = changed(olds, news, ["spec.clusterId"]);
            const known = !hasUnknown([news.spec, news.fingerprintKey]);
            const update =
                isLeftUndone(olds) ||
                !same(olds.steps, news.steps) ||
                (known && stale(stepsOf(made, news), olds.done).length > 0) ||
                otherLogins(olds.controlPlane, news.controlPlane) ||
                driftChanges(olds, news);
            return withNote(clusterWideDiff(olds, news, { replaces, update }), driftNote("cluster", olds, news));
        },
        create: async (inputs, context) => {
            const id = `${inputs.spec.clusterId}/${made.type}`;
            return { id, outs: await reconcile(made, { id, inputs }, context) };
        },
        update: async (id, olds, news, context) => ({
            outs: await reconcile(made, { id, inputs: news, olds }, context),
        }),
        read: async (id, state, context) => {
            if (Object.keys(state.done).length === 0) return { id, props: state };
            const { spec, controlPlane } = state;
            return lookOrKeep(id, { id, props: state }, context, async () => {
                const { connection } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
                const isThere = (await made.isThere?.(spec, connection)) ?? true;
                if (!isThere) return { id, props: { ...state, done: {} } };
                return { id, props: await drifted(made, state, connection, context) };
            });
        },
        delete: async (_id, state, context) => forgetSteps(made, state, context),
    };
}

const stepsOf = <Spec>({ factories }: ClusterWide<Spec>, { spec, fingerprintKey }: Inputs<Spec>) =>
    plan(factories, spec, fingerprintKey);
const comparedOf = <Spec>({ compared = [] }: ClusterWide<Spec>, { spec, fingerprintKey }: Inputs<Spec>) =>
    plan(compared, spec, fingerprintKey);

interface Asked<Spec> {
    id: string;
    inputs: Inputs<Spec>;
    /** Undefined: it is made now. */
    olds?: State<Spec>;
}

/** Runs what the state does not have, and what a refresh found changed. */
async function reconcile<Spec extends { clusterId: string }>(
    made: ClusterWide<Spec>,
    { id, inputs, olds }: Asked<Spec>,
    context: Context,
): Promise<State<Spec>> {
    const { clusterId } = inputs.spec;
    const open = olds === undefined ? {} : openDrift(olds, inputs);
    const compared = comparedOf(made, inputs);
    const steps = [...stepsOf(made, inputs), ...compared.filter(({ id: step }) => open[step] !== undefined)];
    if (steps.length === 0) return { ...inputs, done: {} } as State<Spec>;
    context.report("look for a living master");
    const { name: node, connection } = await untilControlPlaneReady(context, clusterId, inputs.controlPlane, "first");
    // The journal of this control-plane node may be older than what another one has done since. So the state
    // decides: what it does not have with this fingerprint runs again. So do all steps where a run failed or was
    // killed, and the program may have taken its change back since.
    const isDoubtful = olds === undefined || isLeftUndone(olds) || mayHaveGoneBack(olds, inputs);
    const missed = steps.filter(step => isDoubtful || isStale(step, olds.done) || open[step.id] !== undefined);
    for (const { id: step } of missed) await forgetStep(connection, step);
    const { done, pending } = await operate({
        ...{ id, node, clusterId, steps, connection, context },
        done: without(olds?.done ?? {}, missed),
        kept: { ...inputs, ...(olds?.drift && { drift: olds.drift }) },
        exists: olds !== undefined,
    });
    return { ...inputs, done: without(done, compared), pending, ...acceptedDrift(olds ?? {}, inputs) };
}

async function drifted<Spec>(made: ClusterWide<Spec>, state: State<Spec>, master: Connection, context: Context) {
    if (made.compared === undefined) return state;
    const steps = [...stepsOf(made, state).filter(step => !isStale(step, state.done)), ...comparedOf(made, state)];
    const drift = driftOfSteps(steps, await observe(master, steps));
    tellDrift("cluster", state, drift, context);
    return withDrift(state, drift);
}

/** On the control-plane node that ran them last, as far as it answers. */
async function forgetSteps<Spec extends { clusterId: string }>(
    made: ClusterWide<Spec>,
    state: State<Spec>,
    context: Context,
): Promise<void> {
    const { spec, controlPlane } = state;
    try {
        const { connection } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "first");
        for (const { id } of stepsOf(made, state)) await forgetStep(connection, id);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`nothing was undone on the masters: ${error.reason}`);
    }
}

function without(done: Fingerprints, steps: readonly Step[]): Fingerprints {
    return Object.fromEntries(Object.entries(done).filter(([id]) => !steps.some(step => step.id === id)));
}
