import { hostSteps } from "../host/host-steps";
import { type ActOnResource, actsOf, type Disruption } from "../member/disrupts";
import { nodeSteps } from "../member/node-steps";
import type { PlannedAct } from "../member/planned-acts";
import { authorityRotationSteps } from "../procedures/authorities/authority-acts";
import { serviceAccountRotationSteps } from "../procedures/service-account-key/service-account-acts";
import type { StepRow } from "../steps/types";
import { storageSteps } from "../storage/storage-steps";
import { addOnSteps } from "./add-ons";
import { networkSteps } from "./cluster-network";

const rowsOf = (steps: readonly { row: StepRow }[]) => steps.map(({ row }) => row);
const titlesOf = ({ title, otherTitles = [] }: StepRow) => [title, ...otherTitles];

const ofMachines = rowsOf([...hostSteps, ...nodeSteps("member")]);
const ofCluster = rowsOf([...networkSteps, ...addOnSteps]);
const others = rowsOf([...storageSteps, ...serviceAccountRotationSteps, ...authorityRotationSteps]);

/** A plan knows only titles. Where two steps have the same one, it is the step of the machines. */
const byTitle = new Map(
    [...ofMachines, ...ofCluster, ...others]
        .reverse()
        .flatMap(row => titlesOf(row).map(title => [title, row] as const)),
);

/** Undefined: it is no step, but a cure, or a reason to look again. Pure. */
export const stepOf = (title: string): StepRow | undefined => byTitle.get(title);

/** What an act interrupts for those who use the cluster; undefined: nothing. Pure. */
export const disruptionOf = ({ title, any }: PlannedAct): string | undefined =>
    any ? "at most all its steps" : stepOf(title)?.disruptive;

/** Of a resource whose steps concern the whole cluster. */
export function disruptsBySteps(act: ActOnResource): Disruption | undefined {
    const [what] = actsOf(act).flatMap(each => disruptionOf(each) ?? []);
    return what === undefined ? undefined : { nodes: "all", what };
}

const inOrder = [...ofMachines, ...ofCluster, ...others];

/** In the order in which they run on a machine, or in the cluster; first what is no step of it, such as a cure. Pure. */
export function inOrderOfRun<T extends { title: string }>(steps: readonly T[]): T[] {
    const placeOf = ({ title }: T) => inOrder.findIndex(row => titlesOf(row).includes(title));
    return [...steps].sort((a, b) => placeOf(a) - placeOf(b));
}

const compared = [...ofMachines, ...ofCluster].filter(({ notCompared }) => notCompared === undefined);

/** Titles of the steps whose results a refresh compares, and `up` restores. `acceptDrift` names them. */
export const comparedTitles = compared.flatMap(titlesOf);

/** The id of such a step by its title, or by the id itself; undefined: there is none. */
export function comparedStep(name: string): string | undefined {
    return compared.find(row => row.id === name || titlesOf(row).includes(name))?.id;
}

/** An entry of `acceptDrift`: "TITLE" of a step, or "NODE: TITLE". */
export function acceptedOf(entry: string): { node?: string; step: string } {
    const [, node, step] = /^([a-z0-9][-a-z0-9]*): +(.*)$/.exec(entry) ?? [];
    return node === undefined || step === undefined ? { step: entry } : { node, step };
}

/** Ids of the steps whose results others may change on a node; undefined: of the cluster. Sorted. */
export function acceptedSteps(entries: readonly string[] = [], node?: string): string[] {
    const accepted = entries.flatMap(entry => {
        const { node: of, step } = acceptedOf(entry);
        const id = comparedStep(step);
        const isHere = of === undefined || of === node;
        return id !== undefined && isHere && isOfCluster(id) === (node === undefined) ? [id] : [];
    });
    return [...new Set(accepted)].sort();
}

/** Whether the step is one of the cluster as a whole. */
export const isOfCluster = (id: string) => ofCluster.some(row => row.id === id);
