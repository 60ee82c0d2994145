import { NfvError } from "../../common/errors";
import { atMost } from "../../contract/at-most";
import { refuseRotationAfterFailure } from "../../contract/failures";
import { runFacts } from "../../contract/run-facts";
import type { CommonInputs, Context, InSession, ResourceType } from "../../contract/types";
import { failuresOf, hasUnknown, text } from "../../contract/values";
import { connectTo, isUnreachable, named } from "../../machine/machine";
import { placeLoginKeys } from "../../node/place-login-keys";
import type { SshTarget } from "../../ssh";
import { runAct } from "../../steps";
import { keepsItsState } from "../given-rotation";

/** A login key, as the state of a rotation names it: 0 is the one with which the servers were made. */
export interface NumberedKey {
    word: string;
    key: number;
}

/** What the state keeps. */
interface Stored extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one rotates once more. */
    word: string;
    /** Who logs in. */
    user: string;
    /** Machine → id of its server. Another server has the key pair of the cloud, so it is looked at as well. */
    machines: Record<string, string>;
    /** Number of the key with which this run logs in everywhere. */
    use: number;
    /** Number of the key that this run makes known to all machines. */
    add?: number;
}

export interface LoginRotationInputs extends Stored {
    /** Secret, for this run: JSON of { name, connection }[]. */
    targets: string;
    /** For this run: number → public key. */
    publicKeys: Record<string, string>;
    /** Secret, for this run: the private key of `add`. */
    newKey?: string;
}

export interface LoginRotationState extends Stored {
    /** All machines know it, and the next run logs in with it, or with `next`. */
    present: NumberedKey;
    /** All machines know it, too, from the run that made it to the one that logs in with it. */
    next?: NumberedKey;
    /** Public keys that let no one in any more. */
    formers: string[];
}

/**
 * The key that logs in to the servers becomes another one in two runs: the first one makes it known to all machines; the next one logs in with it, and when
 * everything has done so, the former key goes from all machines. So each state of the stack has a key that the machines let in, wherever a run is killed.
 */
export const loginRotation: ResourceType<LoginRotationInputs, LoginRotationState> = {
    check: (olds, news) => {
        const { targets: _, publicKeys: __, newKey: ___, ...stored } = news;
        return {
            inputs: stored as LoginRotationInputs,
            failures: failuresOf(news, { clusterId: text, word: text }),
            // The engine asks for no difference of what is new.
            ...(isFirst(olds) && news.add !== undefined && { notes: [notes.add(Object.keys(news.machines))] }),
        };
    },
    diff: (_id, olds, news) => {
        const part = partOf(olds, news);
        if (part !== "keep") return { changes: true, note: notes[part](Object.keys(news.machines)) };
        const others = olds.formers.length === 0 ? [] : newMachines(olds, news);
        const changes = others.length > 0 || olds.word !== news.word;
        return { changes, ...(others.length > 0 && { note: notes.keep(others) }) };
    },
    create: async (inputs, context) => ({
        id: `${inputs.clusterId}/login-rotation`,
        outs: await rotate(undefined, inputs, context),
    }),
    update: async (_id, olds, news, context) => ({ outs: await rotate(olds, news, context) }),
    ...keepsItsState(),
};

const isFirst = (olds: Partial<Stored>) => olds.clusterId === undefined;

type Part = "add" | "end" | "keep";

/** Pure. */
function partOf(olds: Pick<LoginRotationState, "next"> | undefined, { use, add }: Stored): Part {
    if (add !== undefined) return "add";
    return olds?.next !== undefined && olds.next.key === use ? "end" : "keep";
}

const notes: Record<Part, (machines: string[]) => string> = {
    add: machines =>
        `a new login key is made known to ${machines.join(", ")}; the next pulumi up logs in with it, and ends the former one`,
    end: machines => `the former login key goes from ${machines.join(", ")}; sessions that are open go on`,
    keep: machines => `former login keys go from ${machines.join(", ")}, which the cloud gave them again`,
};

/** An id that is not known yet is another one. */
function newMachines(olds: Stored, news: Stored): string[] {
    return Object.entries(news.machines).flatMap(([name, id]) => (olds.machines[name] === id ? [] : [name]));
}

async function rotate(
    olds: LoginRotationState | undefined,
    stored: LoginRotationInputs,
    context: Context,
): Promise<LoginRotationState> {
    const { word, use, add } = stored;
    const part = partOf(olds, stored);
    const present = olds?.present ?? { word: add === undefined ? word : "", key: use };
    // Without a record the first key at least is known.
    const formers = olds?.formers ?? (use === 0 ? [] : [publicKey(given(stored, context), 0)]);
    const { targets: _, publicKeys: __, newKey: ___, ...kept } = stored;
    const outs = { ...kept, present, ...(olds?.next && { next: olds.next }), formers };
    if (part === "keep") {
        const others = olds === undefined || formers.length === 0 ? [] : newMachines(olds, stored);
        if (others.length > 0) await place(stored, { keys: [use], formers, only: others }, context);
        return outs;
    }
    if (part === "add") {
        await place(stored, { keys: [use, add!], formers }, context);
        await prove(given(stored, context), context);
        context.note("the next pulumi up logs in to the servers with the new key, and ends the former one");
        return { ...outs, next: { word, key: add! } };
    }
    refuseRotationAfterFailure(context, rotating.step);
    const gone = [...new Set([...formers, publicKey(given(stored, context), present.key)])];
    await place(stored, { keys: [use], formers: gone }, context);
    const { next: ended, ...others } = outs;
    return { ...others, present: ended!, formers: gone };
}

interface Placed {
    /** Numbers of the keys that let our user in. */
    keys: number[];
    /** Public keys that let no one in. */
    formers: string[];
    /** @default all machines */
    only?: string[];
}

/** So many machines at once: each of them has a connection already. */
const atOnce = 10;

async function place(stored: Stored, { keys, formers, only }: Placed, context: Context): Promise<void> {
    const run = given(stored, context);
    const { clusterId, user } = stored;
    const { report, signal } = context;
    const act = placeLoginKeys({ user, keys: keys.map(key => publicKey(run, key)), gone: formers });
    const targets = (JSON.parse(run.targets) as Target[]).filter(({ name }) => only?.includes(name) ?? true);
    const on = ({ name, node = name, connection: target }: Target) =>
        atMost(atOnce, context, `login keys of ${clusterId}`, () =>
            named(name, async () => {
                const connection = connectTo(context, target);
                await runAct(act, { node, clusterId, connection, report, signal });
            }),
        );
    const ends = await Promise.allSettled(targets.map(on));
    const failed = ends.find(end => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
}

/** Logs in to all machines with the new key, as the next run will: what is in a file is no proof that sshd takes it. */
async function prove({ clusterId, targets, newKey, add }: LoginRotationInputs, context: Context): Promise<void> {
    if (newKey === undefined) throw withoutKeys(`there is no login key ${add}`);
    const { signal } = context;
    const refusals: string[] = [];
    /** `way`: our jump server takes it, too. */
    const withNew = (connection: SshTarget, way = true): SshTarget => {
        const { jump, privateKey } = connection;
        const ours = way && jump?.privateKey === privateKey;
        return { ...connection, privateKey: newKey, ...(jump && ours && { jump: withNew(jump) }) };
    };
    const logIn = ({ name, connection: target }: Target, way: boolean) =>
        atMost(atOnce, context, `login keys of ${clusterId}`, async () => {
            try {
                // Another key is another connection.
                const connection = connectTo(context, withNew(target, way));
                await connection.exec(["true"], { timeoutSeconds: 30, ...(signal && { signal }) });
            } catch (error) {
                if (!isUnreachable(error)) throw error;
                refusals.push(`${name} (${error.reason})`);
            }
        });
    const all: Target[] = JSON.parse(targets);
    const behind = all.filter(({ connection: { jump, privateKey } }) => jump?.privateKey === privateKey);
    await Promise.all(all.filter(each => !behind.includes(each)).map(each => logIn(each, true)));
    const way = refusals.length === 0;
    await Promise.all(behind.map(each => logIn(each, way)));
    if (refusals.length === 0) return;
    throw new NfvError({
        ...rotating,
        cause: `these machines have the new login key and refuse it: ${refusals.sort().join(", ")}`,
        hint: "The former key lets you in as before. journalctl -u ssh (or sshd) on the machine says why: modes of the home and its .ssh, AllowUsers, Match. Correct it, then run pulumi up again.",
    });
}

interface Target {
    /** Of the server. */
    name: string;
    /** In our notes on it, if that is another one. */
    node?: string;
    connection: SshTarget;
}

function publicKey({ publicKeys }: LoginRotationInputs, key: number): string {
    const found = publicKeys[String(key)];
    if (found !== undefined && !hasUnknown(found)) return found;
    throw withoutKeys(`there is no login key ${key}`);
}

/** What the program gave in this run. */
function given({ clusterId }: Stored, context: InSession): LoginRotationInputs {
    const found = runFacts(context).program.ofCluster<LoginRotationInputs>("LoginRotation", clusterId);
    if (found !== undefined) return found.news;
    throw withoutKeys("the program gave no machines in this run");
}

const rotating = { code: "ROTATION_FAILED", step: "rotate the login key" } as const;

const withoutKeys = (cause: string) =>
    new NfvError({
        ...rotating,
        cause: `${cause}, because this run leaves out the resource ServerKeys`,
        hint: "Run pulumi up without --target and --exclude.",
    });
