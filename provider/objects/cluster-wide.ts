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

/**
 * A resource whose steps run on the first control-plane node that is ready. Deleting it does nothing in the cluster:
 * what it made goes with the cluster.
 */
export function clusterWide<Spec extends { clusterId: string }>(
    type: string,
    factories: readonly StepFactory<Spec>[],
    /**
     * For a refresh: tests, on a ready control-plane node, whether what the steps made still exists. If not, the steps
     * run again.
     */
    isThere: (spec: Spec, master: Connection) => Promise<boolean> = async () => true,
    /**
     * For a refresh: the steps are compared with what they made, and so is what these would make, which run only where it was changed. Undefined: nothing is.
     */
    beside?: readonly StepFactory<Spec>[],
): ResourceType<ClusterWideInputs<Spec>, ClusterWideState<Spec>> {
    type Inputs = ClusterWideInputs<Spec>;
    const planOf = (inputs: Inputs) => plan(factories, inputs.spec, inputs.fingerprintKey);
    const besideOf = (inputs: Inputs) => plan(beside ?? [], inputs.spec, inputs.fingerprintKey);
    /** The steps, and those beside them that a refresh found changed. */
    const withDrifted = (inputs: Inputs, olds: ClusterWideState<Spec> | undefined) => {
        const open = olds === undefined ? {} : openDrift(olds, inputs);
        return { open, steps: [...planOf(inputs), ...besideOf(inputs).filter(({ id }) => open[id] !== undefined)] };
    };
    const reconcile = async (
        id: string,
        inputs: Inputs,
        olds: ClusterWideState<Spec> | undefined,
        context: Context,
    ) => {
        const { clusterId } = inputs.spec;
        const { open, steps } = withDrifted(inputs, olds);
        if (steps.length === 0) return { ...inputs, done: {} };
        context.report("look for a living master");
        const { name: node, connection } = await untilControlPlaneReady(
            context,
            clusterId,
            inputs.controlPlane,
            "first",
        );
        // The journal of this control-plane node may be older than what another one has done since. So the state
        // decides: what it does not have with this fingerprint runs again. So do all steps where a run failed or was
        // killed, and the program may have taken its change back since.
        const isDoubtful = olds === undefined || isLeftUndone(olds) || mayHaveGoneBack(olds, inputs);
        const isMissed = (step: Step) => isDoubtful || isStale(step, olds.done) || open[step.id] !== undefined;
        const missed = steps.filter(isMissed);
        for (const { id: step } of missed) {
            await forgetStep(connection, step);
        }
        const { done, pending } = await operate({
            id,
            node,
            clusterId,
            steps,
            connection,
            done: without(olds?.done ?? {}, missed),
            kept: { ...inputs, ...(olds?.drift && { drift: olds.drift }) },
            exists: olds !== undefined,
            context,
        });
        return { ...inputs, done: without(done, besideOf(inputs)), pending, ...acceptedDrift(olds ?? {}, inputs) };
    };
    const drifted = async (state: ClusterWideState<Spec>, master: Connection, context: Context) => {
        if (beside === undefined) return state;
        const steps = [...planOf(state).filter(step => !isStale(step, state.done)), ...besideOf(state)];
        const drift = driftOfSteps(steps, await observe(master, steps));
        tellDrift("cluster", state, drift, context);
        return withDrift(state, drift);
    };
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
                (known && stale(planOf(news), olds.done).length > 0) ||
                otherLogins(olds.controlPlane, news.controlPlane) ||
                driftChanges(olds, news);
            return withNote(clusterWideDiff(olds, news, { replaces, update }), driftNote("cluster", olds, news));
        },
        create: async (inputs, context) => {
            const id = `${inputs.spec.clusterId}/${type}`;
            return { id, outs: await reconcile(id, inputs, undefined, context) };
        },
        update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
        read: async (id, state, context) => {
            if (Object.keys(state.done).length === 0) return { id, props: state };
            const { spec, controlPlane } = state;
            return lookOrKeep(id, { id, props: state }, context, async () => {
                const { connection } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
                if (!(await isThere(spec, connection))) return { id, props: { ...state, done: {} } };
                return { id, props: await drifted(state, connection, context) };
            });
        },
        delete: async (_id, state, context) => {
            try {
                const { connection } = await readyControlPlaneNode(
                    context,
                    state.spec.clusterId,
                    state.controlPlane,
                    "first",
                );
                for (const { id } of planOf(state)) {
                    await forgetStep(connection, id);
                }
            } catch (error) {
                if (!(error instanceof NfvError)) throw error;
                context.warn(`nothing was undone on the masters: ${error.reason}`);
            }
        },
    };
}

function without(done: Fingerprints, steps: readonly Step[]): Fingerprints {
    return Object.fromEntries(Object.entries(done).filter(([id]) => !steps.some(step => step.id === id)));
}
