import type { Role } from "../common/model";
import type { Context } from "../contract/types";
import { isUnreachable } from "../machine/machine";
import type { Act, StepFactory } from "../steps/types";
import { actOn, doPart, type Reached } from "./rotation-on-nodes";

/** A part of a request. It begins when the part before it has ended on all nodes. */
export type Stage<Spec> =
    /** On each control-plane node in turn, then on the workers. `toleratesUnreachable`: workers that do not answer do not stop it. */
    | { each: StepFactory<Spec>[]; toleratesUnreachable?: boolean }
    /** For the whole cluster, through the first control-plane node. */
    | { once: Act };

export interface Targets<Spec> {
    masters: readonly Reached[];
    /** @default the request needs none */
    workers?: readonly Reached[];
    /** Inputs of the steps on a node. */
    specOf(node: Reached, role: Role, stage: Stage<Spec>): Spec | Promise<Spec>;
}

/** On so many workers at once: only their kubelets restart. */
const workersAtOnce = 10;

/** Carries out the stages in their order. Each step is done once more where it was done before, so a stopped run goes on. @returns names of workers that did not answer */
export async function carryOut<Spec>(
    stages: readonly Stage<Spec>[],
    { masters, workers = [], specOf }: Targets<Spec>,
    run: { clusterId: string; context: Context },
): Promise<string[]> {
    const unreachable = new Set<string>();
    for (const stage of stages) {
        if ("once" in stage) {
            await actOn(masters[0]!, stage.once, run);
            continue;
        }
        const on = async (node: Reached, role: Role) => doPart(node, stage.each, await specOf(node, role, stage), run);
        for (const master of masters) await on(master, "controlPlane");
        for (let from = 0; from < workers.length; from += workersAtOnce) {
            const batch = workers.slice(from, from + workersAtOnce);
            const ends = await Promise.allSettled(batch.map(worker => on(worker, "worker")));
            for (const [index, end] of ends.entries()) {
                if (end.status === "fulfilled") continue;
                if (!stage.toleratesUnreachable || !isUnreachable(end.reason)) throw end.reason;
                unreachable.add(batch[index]!.name);
            }
        }
    }
    return [...unreachable];
}
