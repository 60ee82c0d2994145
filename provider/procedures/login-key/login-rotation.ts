import { NfvError } from "../../common/errors";
import { atMost } from "../../contract/at-most";
import { refuseRotationAfterFailure } from "../../contract/failures";
import type { CommonInputs, Context } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import { connectTo, isUnreachable } from "../../machine/machine";
import { placeLoginKeys } from "../../node/place-login-keys";
import type { SshTarget } from "../../ssh";
import { reach } from "../reached";
import { type RunOfRequest, requestResource } from "../request-resource";
import { carryOut } from "../stages";

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
export const loginRotation = requestResource<LoginRotationInputs, LoginRotationState>({
    type: "LoginRotation",
    name: "login-rotation",
    id: "word",
    ofRun: ["targets", "publicKeys", "newKey"],
    lineOfFirst: ({ add, machines }) => (add === undefined ? undefined : lines.add(Object.keys(machines))),
    due: (olds, news) => {
        const part = partOf(olds, news);
        if (part !== "keep") return lines[part](Object.keys(news.machines));
        const others = olds.formers.length === 0 ? [] : newMachines(olds, news);
        if (others.length > 0) return lines.keep(others);
        return olds.word === news.word ? undefined : "";
    },
    carryOut: rotate,
});

type Part = "add" | "end" | "keep";

/** Pure. */
function partOf(olds: Pick<LoginRotationState, "next"> | undefined, { use, add }: Stored): Part {
    if (add !== undefined) return "add";
    return olds?.next !== undefined && olds.next.key === use ? "end" : "keep";
}

const lines: Record<Part, (machines: string[]) => string> = {
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
    stored: Stored,
    { olds, program, context }: RunOfRequest<LoginRotationInputs, LoginRotationState>,
): Promise<LoginRotationState> {
    const { word, use, add } = stored;
    const part = partOf(olds, stored);
    const present = olds?.present ?? { word: add === undefined ? word : "", key: use };
    const inRun = () => program ?? missing("the program gave no machines in this run");
    // Without a record the first key at least is known.
    const formers = olds?.formers ?? (use === 0 ? [] : [publicKey(inRun(), 0)]);
    const outs = { ...stored, present, ...(olds?.next && { next: olds.next }), formers };
    if (part === "keep") {
        const others = olds === undefined || formers.length === 0 ? [] : newMachines(olds, stored);
        if (others.length > 0) await place(inRun(), { keys: [use], formers, only: others }, context);
        return outs;
    }
    if (part === "add") {
        await place(inRun(), { keys: [use, add!], formers }, context);
        await prove(inRun(), context);
        context.note("the next pulumi up logs in to the servers with the new key, and ends the former one");
        return { ...outs, next: { word, key: add! } };
    }
    refuseRotationAfterFailure(context, rotating.step);
    const gone = [...new Set([...formers, publicKey(inRun(), present.key)])];
    await place(inRun(), { keys: [use], formers: gone }, context);
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

async function place(run: LoginRotationInputs, { keys, formers, only }: Placed, context: Context): Promise<void> {
    const { clusterId, user } = run;
    const act = placeLoginKeys({ user, keys: keys.map(key => publicKey(run, key)), gone: formers });
    const targets = (JSON.parse(run.targets) as Target[]).filter(({ name }) => only?.includes(name) ?? true);
    const on = reach(
        targets.map(({ name, node = name, connection }) => ({ name: node, connection })),
        context,
    );
    await carryOut([{ act: () => act, on, atOnce, independent: true }], {}, { clusterId, context });
}

/** Logs in to all machines with the new key, as the next run will: what is in a file is no proof that sshd takes it. */
async function prove({ clusterId, targets, newKey, add }: LoginRotationInputs, context: Context): Promise<void> {
    if (newKey === undefined) missing(`there is no login key ${add}`);
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
    return missing(`there is no login key ${key}`);
}

const rotating = { code: "ROTATION_FAILED", step: "rotate the login key" } as const;

function missing(what: string): never {
    throw new NfvError({
        ...rotating,
        cause: `${what}, because this run leaves out the resource ServerKeys`,
        hint: "Run pulumi up without --target and --exclude.",
    });
}
