import { unpack } from "../contract/packed";
import { dueCertificates, renewBeforeDays } from "../kubeadm/certificate-ends";
import { type DriftInput, type DriftState, openDrift } from "../machine/drift";
import { type HealInput, type HealState, isHealWithdrawn } from "../operation/heals";
import { type ChangeNumberInput, mayDiffer, mayHaveGoneBack } from "../operation/wishes";
import type { CertificatesState } from "./node-certificates";
import { renewCertificates } from "./renew-certificates";

type Properties = Record<string, unknown>;

/** One of the things that an update does. */
export interface PlannedAct {
    /** Of the step, or what is done besides. */
    title: string;
    /** Of the step. */
    fingerprint?: string;
    /** At most all steps of the resource run, because only the machine knows which. */
    any?: true;
}

type Counted = ChangeNumberInput & HealState;

interface Before extends Counted, DriftState, CertificatesState {
    done?: Record<string, string>;
    pending?: string[];
}

interface After extends Counted, HealInput, DriftInput {
    steps?: Record<string, string>;
    spec?: { certificates?: { renewBeforeDays?: number; validityDays?: number } };
}

/** Why a machine may differ from what its state shows, so that its journal alone says which steps run. */
const doubts: readonly [title: string, is: (before: Before, after: After) => boolean][] = [
    ["look at the machine again: its heal was taken back", isHealWithdrawn],
    ["look at it again: an earlier change may have reached it unrecorded", mayHaveGoneBack],
];

/** An act of which nobody can say what it interrupts. */
export const anything = (title: string): PlannedAct => ({ title, any: true });

/**
 * What an update of a resource does that runs steps, of the properties that are stored: those that Pulumi's events show, and those that update gets. With the
 * steps that are not recorded as done come repairs: drift that is put back, cures, certificates that are due. It is an upper bound: what was put right meanwhile needs
 * less. Guards, the hash of a plan and the run itself work on this one list. Pure.
 */
export function plannedActs(state: Properties, asked: Properties): PlannedAct[] {
    const [before, after] = [openedWithoutSecrets(state) as Before, openedWithoutSecrets(asked) as After];
    if (typeof after.steps !== "object") return [anything("steps that are not known yet")];
    const wanted = after.steps;
    const done = new Set(Object.values(before.done ?? {}));
    const acts = new Map<string, PlannedAct>();
    const add = (act: PlannedAct) => acts.has(act.title) || acts.set(act.title, act);
    const addStep = (title: string, fingerprint: string) => add({ title, fingerprint });
    for (const [title, fingerprint] of Object.entries(wanted)) if (!done.has(fingerprint)) addStep(title, fingerprint);
    for (const each of Object.values(openDrift(before, after))) addStep(each.title, each.fingerprint);
    for (const title of before.pending ?? [])
        if (Object.hasOwn(wanted, title)) addStep(title, wanted[title]!);
        else add(anything(title));
    if (isDue(before, after)) addStep(renewal, wanted[renewal] ?? "");
    for (const [title, is] of doubts) if (is(before, after)) add(anything(title));
    // After one change, what the state does not show as changed is as it was.
    if (acts.size === 0 && mayDiffer(before, after)) add(anything(doubts[1]![0]));
    return [...acts.values()];
}

const renewal = renewCertificates.row.title;

function isDue({ certificates = {} }: Before, { spec = {} }: After): boolean {
    return dueCertificates(certificates, renewBeforeDays(spec)) !== undefined;
}

/** Secrets are hidden in events, and nothing here needs them. Pure. */
export function openedWithoutSecrets({ secrets: _, __provider: __, ...properties }: Properties): Properties {
    return unpack(properties, []);
}

/** Whether the inputs are those of a resource that runs steps, by its title and fingerprint. Pure. */
export const runsSteps = (asked: Properties): boolean => openedWithoutSecrets(asked)["steps"] !== undefined;

/** Of OperationStart: number and line of its operation. Undefined: it is another resource. Pure. */
export function operationOf({ operation, operations }: Properties): string | undefined {
    return typeof operation === "string" ? `${String(operations)} ${operation}` : undefined;
}

/** Fields of a machine whose change alone does nothing there: how it is reached, and what a later run reads. */
const kept = [
    "acceptDrift",
    ...["connection", "controlPlane", "login", "server", "serverId", "upgradeTurn"],
    ...["spec.certificates", "spec.drain"],
];

/** Whether an update of a machine without acts has a reason that is known to do nothing there. `before`: the former inputs. Pure. */
export function onlyKeeps(before: Properties, asked: Properties): boolean {
    const [former, latter] = [flat(before), flat(asked)];
    const differing = Object.keys({ ...former, ...latter }).filter(name => former[name] !== latter[name]);
    return differing.length > 0 && differing.every(name => kept.includes(name));
}

function flat(properties: Properties): Record<string, string> {
    const { spec, ...others } = openedWithoutSecrets(properties);
    const inSpec = Object.entries((spec ?? {}) as object).map(([name, value]) => [`spec.${name}`, value]);
    return Object.fromEntries(
        [...Object.entries(others), ...inSpec].map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
    );
}
