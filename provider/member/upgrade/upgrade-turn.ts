import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import type { Context } from "../../contract/types";
import { named } from "../../machine/machine";
import type { Connection } from "../../ssh";
import { runAct } from "../../steps";
import type { Fingerprints } from "../../steps/types";
import { endSoak } from "./acts";
import { lookAtVersion } from "./node-version";
import { notServing, type PodOnNode, podsOn } from "./pods-on";
import type { ReplacementInput } from "./server-replacement";
import { switchVersion } from "./switch-version";
import { versionChange } from "./upgrade";

/** When a worker moves to another version. Never stored: a change of it alone changes nothing on a node. */
export interface UpgradeTurn {
    /** It stays at its version: what comes before it in the order is to be looked at first. */
    holds?: boolean;
    /** Seconds for which it must stay Ready, with its pods, before those behind it begin. */
    soakSeconds?: number;
}

export interface UpgradeTurnInput {
    upgradeTurn?: UpgradeTurn;
}

interface Held extends UpgradeTurnInput {
    spec: NodeSpec;
    /** Title → fingerprint. */
    steps?: Record<string, string>;
}

interface Member {
    spec: { name: string; clusterId: string; kubernetesVersion: string };
    done: Fingerprints;
}

/** Whether the program holds an existing worker back at an earlier version. Pure. */
export const isHeld = (olds: Member | undefined, news: Held): olds is Member =>
    olds !== undefined && news.upgradeTurn?.holds === true && versionChange(olds, news) !== undefined;

/** The inputs of a worker that is held back: with the version that it has. Pure. */
export function asHeld<Inputs extends Held>(olds: Member | undefined, news: Inputs): Inputs {
    if (!isHeld(olds, news)) return news;
    const spec = { ...news.spec, kubernetesVersion: olds.spec.kubernetesVersion };
    const { id, title } = switchVersion(spec)!;
    const fingerprint = olds.done[id];
    const steps = typeof news.steps === "object" &&
        fingerprint !== undefined && { ...news.steps, [title]: fingerprint };
    return { ...news, spec, ...(steps && { steps }) };
}

/** The same at the moment of action: a move that has begun goes on, because half of it is no place to stay. */
export async function asHeldOnMachine<Inputs extends Held>(
    olds: Member | undefined,
    news: Inputs,
    machine: Connection,
): Promise<Inputs> {
    if (!isHeld(olds, news)) return news;
    const { name } = news.spec;
    const { unfinished } = await named(name, () => lookAtVersion(machine, name));
    return unfinished === undefined ? asHeld(olds, news) : news;
}

/** How often the cluster is asked while a node soaks, in milliseconds. Tests set less. */
export const soakPause = { milliseconds: 10_000 };

/** Whether a node is to be watched when it has moved. Pure. */
export const soaks = ({ upgradeTurn }: UpgradeTurnInput): boolean => (upgradeTurn?.soakSeconds ?? 0) > 0;

/** Whether a node is to be watched that joins on a new server: it takes its place in another version, or a stopped run has left unknown in which. Pure. */
export function soaksWhenReplaced(inputs: Held & ReplacementInput): boolean {
    const { replacement, spec } = inputs;
    return soaks(inputs) && replacement !== undefined && replacement.former?.version !== spec.kubernetesVersion;
}

/**
 * Watches a node that has moved. A pod that already failed before the move counts, too: nothing tells the two apart. If the run is killed meanwhile, the note on the
 * machine stays, and the next run watches for the whole time.
 * @throws UPGRADE_FAILED with the pods that do not serve when the time is up
 */
export async function soak(
    { spec: { clusterId, name, kubernetesVersion }, upgradeTurn }: Held,
    machine: Connection,
    master: () => Promise<Connection>,
    { report, signal }: Pick<Context, "report" | "signal">,
): Promise<void> {
    const seconds = upgradeTurn?.soakSeconds ?? 0;
    const until = performance.now() + seconds * 1000;
    let pods: PodOnNode[] = [];
    for (let left = seconds; left > 0; left = Math.ceil((until - performance.now()) / 1000)) {
        report(`is watched for another ${left} s before others move to ${kubernetesVersion}`);
        await sleep(Math.min(soakPause.milliseconds, left * 1000), undefined, { signal });
        pods = await podsOn(await master(), name, signal);
    }
    if (seconds > 0) await runAct(endSoak, { node: name, clusterId, connection: machine, report, signal });
    const failing = notServing(pods);
    if (failing.length === 0) return;
    throw new NfvError({
        code: "UPGRADE_FAILED",
        node: name,
        cause: `${seconds} s after its move to ${kubernetesVersion} it does not serve: ${failing.join(", ")}`,
        hint: "Workers behind it were not touched. Look at these pods: kubectl describe pod. Then run pulumi up again: it goes on with those workers; or set kubernetes.version back.",
    });
}
