import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import { atMost } from "../../contract/at-most";
import { refuseRotationAfterFailure } from "../../contract/failures";
import type { CommonInputs, Context, InSession, ResourceType } from "../../contract/types";
import { failuresOf, hasUnknown, text } from "../../contract/values";
import { connectTo, isUnreachable, named } from "../../machine/machine";
import { programMasters } from "../../machine/program-masters";
import { noteRotated } from "../../machine/rotated-connections";
import { GivenInputs } from "../../machine/stored-machine";
import { newHostKeyPath, placeHostKey } from "../../node/place-host-key";
import { hostKeyOf, type SshKeyPair } from "../../openstack/host-key";
import type { SshTarget } from "../../ssh";
import { runAct } from "../../steps";
import { storageNode } from "../../storage/storage-leaves";
import { wantedAddress } from "../../storage/storage-machine-state";
import { keepsItsState } from "../given-rotation";
import type { NumberedKey } from "./login-rotation";

/** What the state keeps. */
interface Stored extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one rotates once more. */
    word: string;
    /** Names of the servers. */
    machines: string[];
    /** Number of the seed from which the keys are derived that servers have when the run begins. */
    use: number;
    /** Number of the seed whose keys the servers get in this run. */
    add?: number;
}

export interface HostKeyRotationInputs extends Stored {
    /** Secret, for this run: JSON of Target[]. Each connection takes either key. */
    targets: string;
    /** Secret, for this run: the seed of `use`. */
    seed: string;
    /** Secret, for this run: the seed of `add`. */
    newSeed?: string;
}

export interface HostKeyRotationState extends Stored {
    /** All servers show its keys, or those of `next`. */
    present: NumberedKey;
    /** All servers show its keys, from the run that wrote them to the one that takes no others. */
    next?: NumberedKey;
}

interface Target {
    /** Of the server. */
    name: string;
    /** In our notes on it, if that is another one. */
    node?: string;
    connection: SshTarget;
    /** It has a Host and a Node. */
    isNode: boolean;
}

class Given extends Map<string, HostKeyRotationInputs> {}

/**
 * The host keys of the servers become others in two runs. In the first one, all that keeps a connection in the state records both keys of its machine; after that
 * the machines get the new one. The next run takes the new one alone. So whatever the state has, and wherever a run is killed, it names the key that a machine shows.
 */
export const hostKeyRotation: ResourceType<HostKeyRotationInputs, HostKeyRotationState> = {
    check: (olds, news, context) => {
        context?.session.part(Given).set(news.clusterId, news);
        noteRotated(context, news.targets);
        const { targets: _, seed: __, newSeed: ___, ...stored } = news;
        // The engine asks for no difference of what is new.
        const isFirst = olds.clusterId === undefined && news.add !== undefined;
        return {
            inputs: stored as HostKeyRotationInputs,
            failures: failuresOf(news, { clusterId: text, word: text }),
            ...(isFirst && { notes: [notes.add(news.machines)] }),
        };
    },
    diff: (_id, olds, news) => {
        const part = partOf(olds, news);
        if (part === "keep") return { changes: olds.word !== news.word };
        return { changes: true, note: notes[part](news.machines) };
    },
    create: async (inputs, context) => ({
        id: `${inputs.clusterId}/host-key-rotation`,
        outs: await rotate(undefined, inputs, context),
    }),
    update: async (_id, olds, news, context) => ({ outs: await rotate(olds, news, context) }),
    ...keepsItsState(),
};

type Part = "add" | "end" | "keep";

/** Pure. */
function partOf(olds: Pick<HostKeyRotationState, "next"> | undefined, { use, add }: Stored): Part {
    if (add !== undefined) return "add";
    return olds?.next !== undefined && olds.next.key === use ? "end" : "keep";
}

const notes: Record<Exclude<Part, "keep">, (machines: readonly string[]) => string> = {
    add: machines =>
        `at the end of the run the SSH servers of ${machines.join(", ")} get another host key; open sessions go on, and nothing restarts. Until the next pulumi up has ended, either key is taken`,
    end: machines => `only the new host keys of ${machines.join(", ")} are taken; the former ones leave the state`,
};

async function rotate(
    olds: HostKeyRotationState | undefined,
    stored: HostKeyRotationInputs,
    context: Context,
): Promise<HostKeyRotationState> {
    const { word, use, add } = stored;
    const { targets: _, seed: __, newSeed: ___, ...kept } = stored;
    const present = olds?.present ?? { word: add === undefined ? word : "", key: use };
    switch (partOf(olds, stored)) {
        case "keep":
            return { ...kept, present, ...(olds?.next && { next: olds.next }) };
        case "end":
            return { ...kept, present: olds!.next! };
        case "add":
            refuseRotationAfterFailure(context, rotating.step);
            await exchangeAll(given(stored, context), context);
            context.note("the next pulumi up takes the new host keys alone, and forgets the former ones");
            return { ...kept, present, next: { word, key: add! } };
    }
}

/** So many machines at once: each of them has a connection already. */
const atOnce = 10;

/** @throws ROTATION_FAILED with each machine that did not take its key. The others keep the new one. */
async function exchangeAll(run: HostKeyRotationInputs, context: Context): Promise<void> {
    const { clusterId, seed, newSeed } = run;
    if (newSeed === undefined || hasUnknown([seed, newSeed])) throw leftOut(`there is no seed ${run.add}`);
    const targets: Target[] = JSON.parse(run.targets);
    refuseLeftOut(targets, run, context);
    const refusals: string[] = [];
    const on = ({ name, node = name, connection }: Target) =>
        atMost(atOnce, context, `host keys of ${clusterId}`, async () => {
            const keys = { former: hostKeyOf(seed, name), next: hostKeyOf(newSeed, name) };
            const why = await exchange({ clusterId, name, node, target: connection, ...keys }, context);
            if (why !== undefined) refusals.push(`${name} (${why})`);
        });
    const ends = await Promise.allSettled(targets.map(on));
    const failed = ends.find(end => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (refusals.length === 0) return;
    throw new NfvError({
        ...rotating,
        cause: `these machines did not take their new host key: ${refusals.sort().join(", ")}`,
        hint: "Either key is taken meanwhile, so that all machines are reached as before. journalctl -u ssh (or sshd) on the machine may say why. Correct it, then run pulumi up again: it goes on.",
    });
}

interface Exchanged extends Required<Pick<Target, "name" | "node">> {
    clusterId: string;
    /** Takes either key. */
    target: SshTarget;
    former: SshKeyPair;
    next: SshKeyPair;
}

/** Undefined, or why the machine did not take the key. */
async function exchange(machine: Exchanged, context: Context): Promise<string | undefined> {
    const { former, next } = machine;
    let isPlaced = false;
    try {
        await put(machine, next, "show another SSH host key", context);
        isPlaced = true;
        await prove(machine, next, context);
        return undefined;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        // Of a machine that did not answer nothing is known; the next run looks again.
        if (!isPlaced && isUnreachable(error)) return error.reason;
        return `${error.reason}; ${await giveBack(machine, former, context)}`;
    }
}

/** What the machine shows counts: where its disk is full, nothing was exchanged, and nothing can be put back. */
async function giveBack(machine: Exchanged, former: SshKeyPair, context: Context): Promise<string> {
    let failed: NfvError | undefined;
    try {
        await put(machine, former, "show the former SSH host key again", context);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        failed = error;
    }
    try {
        await prove(machine, former, context);
        return failed === undefined ? "it has its former key again" : "it shows its former key still";
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return `it could not get its former key again: ${(failed ?? error).reason}`;
    }
}

/** Over a connection that was opened with either key, and that goes on. */
async function put(
    { clusterId, name, node, target }: Exchanged,
    { privateKey, publicKey }: SshKeyPair,
    title: string,
    context: Context,
): Promise<void> {
    const { report, signal } = context;
    const connection = connectTo(context, target);
    await named(name, async () => {
        await connection.writeFile(newHostKeyPath, privateKey, { mode: 0o600 });
        await runAct(placeHostKey(publicKey, title), { node, clusterId, connection, report, signal });
    });
}

/** How long sshd may take to show the key of its file. */
export const limits = { reloadMs: 10_000 };

/** A connection of its own, which takes this key alone: what is in a file is no proof that sshd shows it. */
async function prove({ target }: Exchanged, { publicKey }: SshKeyPair, context: Context): Promise<void> {
    const { signal } = context;
    // Another host key is another connection.
    const connection = connectTo(context, { ...target, hostKey: publicKey });
    for (const end = Date.now() + limits.reloadMs; ; await sleep(300, undefined, { signal })) {
        try {
            await connection.exec(["true"], { timeoutSeconds: 30, ...(signal && { signal }) });
            return;
        } catch (error) {
            const mayReload = error instanceof NfvError && error.code === "HOST_KEY_CHANGED" && Date.now() < end;
            if (!mayReload) throw error;
        }
    }
}

/** What is left out by --target would keep the former key alone in the state, and could not be reached any more. */
function refuseLeftOut(targets: readonly Target[], { clusterId }: Stored, context: Context): void {
    const checked = context.session.part(GivenInputs);
    const missing = targets.filter(({ name, node, isNode }) => {
        if (node === storageNode) return wantedAddress(context, { spec: { clusterId, name: node } }) === undefined;
        const asked = { spec: { clusterId, name } };
        return isNode && !(checked.has("Host", asked) && checked.has("Node", asked));
    });
    if (missing.length > 0) throw leftOut(`this run leaves out ${missing.map(({ name }) => name).join(", ")}`);
    if (programMasters(context, clusterId) === undefined) throw leftOut("this run leaves out the resource Masters");
}

/** What the program gave in this run. */
function given({ clusterId }: Stored, { session }: InSession): HostKeyRotationInputs {
    const found = session.part(Given).get(clusterId);
    if (found !== undefined) return found;
    throw leftOut("the program gave no machines in this run");
}

const rotating = { code: "ROTATION_FAILED", step: "rotate the host keys" } as const;

const leftOut = (cause: string) =>
    new NfvError({
        ...rotating,
        cause: `${cause}: no machine was touched`,
        hint: "Run pulumi up without --target and --exclude.",
    });
