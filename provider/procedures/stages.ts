import { randomBytes } from "node:crypto";
import type { NfvError } from "../common/errors";
import type { Role } from "../common/model";
import { refuseAnotherMachine } from "../machine/another-machine";
import { isUnreachable, named } from "../machine/machine";
import { programMasters } from "../machine/program-masters";
import { forgetStep, plan, runSteps } from "../steps";
import type { Act, StepFactory } from "../steps/types";
import { actOn, addressOf, type Reached, type RequestRun } from "./reached";

/** A part of a request. It begins when the part before it has ended on all nodes. */
export type Stage<Spec = never> =
    /**
     * Steps, on each control-plane node in turn, on the first alone, or on all together; then on the workers. `toleratesUnreachable`: workers that do not answer
     * do not stop it.
     */
    | { each: StepFactory<Spec>[]; how?: "firstAlone" | "together"; toleratesUnreachable?: boolean }
    /**
     * On these nodes, so many at once; a batch ends also where one of it fails. `independent`: the batches behind it, too. `toleratesUnreachable`: nodes that do
     * not answer do not stop it.
     */
    | {
          act: (node: Reached, place: number) => Act;
          on: readonly Reached[];
          atOnce: number;
          independent?: boolean;
          toleratesUnreachable?: boolean;
      }
    /** For the whole cluster, through the first control-plane node. */
    | { once: Act };

export interface Targets<Spec> {
    /** @default the request has no stage that needs them */
    controlPlane?: readonly Reached[];
    /** @default the request needs none */
    workers?: readonly Reached[];
    /** Inputs of the steps on a node. Needed for stages of steps. */
    specOf?(node: Reached, role: Role, stage: Stage<Spec>): Spec | Promise<Spec>;
}

export interface Unreached {
    name: string;
    reason: string;
}

/** Work on a node, as a stage asks for it. */
interface Job {
    name: string;
    tolerates: boolean;
    work(): Promise<unknown>;
}

/** On so many workers at once: only their kubelets restart. */
const workersAtOnce = 10;

/** Carries out the stages in their order. Each is done once more where it was done before, so a stopped run goes on. @returns nodes that did not answer, where that is tolerated */
export async function carryOut<Spec>(
    stages: readonly Stage<Spec>[],
    targets: Targets<Spec>,
    run: RequestRun,
): Promise<Unreached[]> {
    const unreached = new Map<string, string>();
    for (const stage of stages) {
        const isIndependent = "act" in stage && stage.independent;
        const failures: unknown[] = [];
        for (const batch of batchesOf(stage, targets, run)) {
            const ends = await Promise.allSettled(batch.map(({ work }) => work()));
            for (const [i, end] of ends.entries()) {
                if (end.status === "fulfilled") continue;
                const { name, tolerates } = batch[i]!;
                if (tolerates && isUnreachable(end.reason)) unreached.set(name, (end.reason as NfvError).reason);
                else failures.push(end.reason);
            }
            if (failures.length > 0 && !isIndependent) throw failures[0];
        }
        if (failures.length > 0) throw failures[0];
    }
    return [...unreached].map(([name, reason]) => ({ name, reason }));
}

/** Jobs of a batch run at once; the next batch begins when they have ended. */
function batchesOf<Spec>(stage: Stage<Spec>, targets: Targets<Spec>, run: RequestRun): Job[][] {
    const { controlPlane = [], workers = [] } = targets;
    const job = ({ name }: Reached, work: () => Promise<unknown>, tolerates = false): Job => ({
        name,
        tolerates,
        work,
    });
    if ("once" in stage) return [[job(controlPlane[0]!, () => actOn(controlPlane[0]!, stage.once, run))]];
    const { toleratesUnreachable } = stage;
    if ("act" in stage) {
        const { act, on, atOnce } = stage;
        const jobs = on.map((node, i) =>
            job(node, () => actOn(node, act(node, i), run, `${i + 1} of ${on.length}`), toleratesUnreachable),
        );
        return inBatches(jobs, atOnce);
    }
    const steps = (node: Reached, role: Role) => async () =>
        doSteps(node, stage.each, await targets.specOf!(node, role, stage), run);
    const jobs = controlPlane.map(node => job(node, steps(node, "controlPlane")));
    if (stage.how === "firstAlone") return [jobs.slice(0, 1)];
    return [
        ...inBatches(jobs, stage.how === "together" ? jobs.length : 1),
        ...inBatches(
            workers.map(node => job(node, steps(node, "worker"), toleratesUnreachable)),
            workersAtOnce,
        ),
    ];
}

function inBatches<T>(all: readonly T[], size: number): T[][] {
    const first = (batch: number) => batch * size;
    return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(first(i), first(i + 1)));
}

/** Nothing of the steps stays: a later request does the same once more. */
async function doSteps<Spec>(
    node: Reached,
    factories: StepFactory<Spec>[],
    spec: Spec,
    { clusterId, context }: RequestRun,
): Promise<void> {
    const { name, link: connection } = node;
    const steps = plan(factories, spec, randomBytes(16).toString("hex"));
    const { report, signal } = context;
    const { wanted: controlPlane = [] } = programMasters(context, clusterId) ?? {};
    const machine = { spec: { clusterId, name, address: addressOf(node) }, connection, controlPlane };
    // A machine that says that it is a member, and may be another one, gets no key.
    const beforeSecrets = () => refuseAnotherMachine(machine, context);
    await named(name, async () => {
        await runSteps(steps, { node: name, clusterId, connection, done: {}, beforeSecrets, report, signal });
        // The journal is for what stays.
        for (const { id } of steps) await forgetStep(connection, id);
    });
}
