import { dueCertificates, renewBeforeDays } from "../kubeadm/certificate-ends";
import { disruptions } from "../lifecycle/disruptions";
import { type DriftInput, type DriftState, openDrift } from "./drift";
import { type HealInput, type HealState, isHealWithdrawn } from "./heals";
import { type EndpointNumberInput, type GenerationInput, isTakenBack, mayHaveMoved } from "./membership";
import type { CertificatesState } from "./node-certificates";
import { unpack } from "./packed";
import { mayDiffer, mayHaveGoneBack, type WishNumberInput } from "./wishes";

type Properties = Record<string, unknown>;

/** One of the things that an update does on a machine. */
export interface MachineAct {
    /** Of the step, or what is done besides. */
    title: string;
    /** Undefined: of whatever fingerprint. */
    fingerprint?: string;
    /** What it interrupts for those who use the cluster; undefined: nothing. */
    disrupts?: string;
}

type Counted = GenerationInput & EndpointNumberInput & WishNumberInput & HealState;

interface Before extends Counted, DriftState, CertificatesState {
    done?: Record<string, string>;
    pending?: string[];
}

interface After extends Counted, HealInput, DriftInput {
    steps?: Record<string, string>;
    spec?: { certificates?: { renewBeforeDays?: number; validityDays?: number } };
}

const again = "at most all its steps are done again";

/** Why a machine may differ from what its state shows, so that its journal alone says which steps run. */
const doubts: readonly [title: string, is: (before: Before, after: After) => boolean][] = [
    ["look at the machine again: it came back to the program", isTakenBack],
    ["look at the machine again: the endpoint has changed", mayHaveMoved],
    ["look at the machine again: its heal was taken back", isHealWithdrawn],
    ["look at the machine again: an earlier change may have reached it unrecorded", mayHaveGoneBack],
];

/**
 * What an update of a Host or a Node does, of the properties that are stored: those that Pulumi's events show, and those that update gets. With the steps that
 * are not recorded as done come repairs: drift that is put back, cures, certificates that are due. It is an upper bound: a machine that was put right meanwhile
 * needs less. Pure.
 */
export function machineActs(state: Properties, asked: Properties): MachineAct[] {
    const [before, after] = [opened<Before>(state), opened<After>(asked)];
    if (typeof after.steps !== "object") return [{ title: "steps that are not known yet", disrupts: again }];
    const wanted = after.steps;
    const done = new Set(Object.values(before.done ?? {}));
    const acts = new Map<string, MachineAct>();
    const add = (act: MachineAct) => acts.has(act.title) || acts.set(act.title, act);
    for (const [title, fingerprint] of Object.entries(wanted))
        if (!done.has(fingerprint)) add({ title, fingerprint, ...disrupting(disruptions[title]) });
    for (const { title, fingerprint, disruptive } of Object.values(openDrift(before, after)))
        add({ title, fingerprint, ...disrupting(disruptions[title] ?? disruptive) });
    for (const title of before.pending ?? [])
        add(
            Object.hasOwn(wanted, title)
                ? { title, fingerprint: wanted[title]!, ...disrupting(disruptions[title]) }
                : { title, disrupts: `it is repaired: ${title}` },
        );
    if (isDue(before, after)) add({ title: renewal, disrupts: disruptions[renewal]! });
    for (const [title, is] of doubts) if (is(before, after)) add({ title, disrupts: again });
    // After one change, what the state does not show as changed is as it was.
    if (acts.size === 0 && mayDiffer(before, after)) add({ title: doubts[3]![0], disrupts: again });
    return [...acts.values()];
}

const renewal = "renew certificates";

function isDue({ certificates = {} }: Before, { spec = {} }: After): boolean {
    return dueCertificates(certificates, renewBeforeDays(spec)) !== undefined;
}

const disrupting = (disrupts: string | undefined) => (disrupts === undefined ? {} : { disrupts });

/** Secrets are hidden in events, and nothing here needs them. */
function opened<Opened>({ secrets: _, __provider: __, ...properties }: Properties): Opened {
    return unpack(properties, []) as Opened;
}

/** Fields whose change alone does nothing on a machine: how it is reached, and what a later run reads. */
const kept = [
    "acceptDrift",
    ...["connection", "controlPlane", "login", "server", "serverId", "upgradeTurn"],
    ...["spec.certificates", "spec.drain"],
];

/** Whether an update without acts has a reason that is known to do nothing on the machine. `before`: the former inputs. Pure. */
export function onlyKeeps(before: Properties, asked: Properties): boolean {
    const [former, latter] = [flat(before), flat(asked)];
    const differing = Object.keys({ ...former, ...latter }).filter(name => former[name] !== latter[name]);
    return differing.length > 0 && differing.every(name => kept.includes(name));
}

function flat(properties: Properties): Record<string, string> {
    const { spec, ...others } = opened<Properties>(properties);
    const inSpec = Object.entries((spec ?? {}) as object).map(([name, value]) => [`spec.${name}`, value]);
    return Object.fromEntries(
        [...Object.entries(others), ...inSpec].map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
    );
}
