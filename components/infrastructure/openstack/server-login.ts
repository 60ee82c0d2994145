import * as pulumi from "@pulumi/pulumi";
import { type Args, type DeepInput, LoginRotation, type ServerKeys } from "../../../provider/adapters/dynamic";
import type { SshKeyPair } from "../../../provider/openstack/host-key";
import type { LoginRotationInputs } from "../../../provider/procedures/login-key/login-rotation";
import type { SshTarget } from "../../../provider/ssh/types";
import { endOf } from "../../common/end-of";
import {
    type NumberPlan,
    numbersAsked,
    type RecordedRotation,
    type RotatedCluster,
    rotationRecord,
} from "./rotation-record";

/** Which of the login keys this run uses, by their numbers. `add`: it is made known to the machines. */
export type LoginPlan = NumberPlan;

/**
 * Pure. `keys`: numbers of those that ServerKeys has; undefined: there are none yet, so the first one is the word's. A destroy that was stopped may have taken
 * the record away: then the lowest number is the key that all machines let in.
 */
export function loginPlan(recorded: RecordedRotation | undefined, word: string, keys?: readonly number[]): LoginPlan {
    if (recorded === undefined) {
        const use = Math.min(...(keys ?? [0]));
        return { use, before: use, ...(keys !== undefined && use === 0 && { add: 1 }) };
    }
    const { present, next } = recorded;
    const before = present.key;
    if (next !== undefined) return { use: next.key, before };
    return { use: present.key, before, ...(word !== present.word && { add: present.key + 1 }) };
}

/** Why the program cannot go on with this word. Pure. */
export function loginProblem(recorded: RecordedRotation | undefined, word: string | undefined): string | undefined {
    if (recorded === undefined || (recorded.next === undefined && recorded.present.key === 0)) return undefined;
    const { word: known } = recorded.next ?? recorded.present;
    if (word === undefined)
        return `rotate.loginKey was taken out of the program, and by its key the servers are reached. Nothing was touched. Put "${known}" back: it stays in the program`;
    if (recorded.next === undefined || word === known) return undefined;
    return `rotate.loginKey: "${word}" comes before the rotation to "${known}" has ended. Nothing was touched. Put "${known}" back for one more pulumi up`;
}

/** The key by which our user logs in to the servers. */
export interface ServerLogin {
    privateKey: pulumi.Output<string>;
    publicKey: pulumi.Output<string>;
}

/** What a program and the state say of `rotate.loginKey`. */
export interface LoginWord {
    /** Undefined: the program asks for no rotation. */
    word?: string;
    plan: Promise<LoginPlan>;
    problem: Promise<string | undefined>;
    /** The same where the state cannot be read: it does not say whether there was a rotation. */
    unread: Promise<string | undefined>;
}

export function loginWord(name: string, word: string | undefined, cluster: RotatedCluster): LoginWord {
    const { seen, unread } = rotationRecord(name, cluster);
    return {
        unread,
        ...(word !== undefined && { word }),
        plan: seen.then(({ recorded, numbers }) =>
            word === undefined ? { use: 0, before: 0 } : loginPlan(recorded, word, numbers),
        ),
        problem: Promise.all([seen, unread]).then(
            ([{ recorded }, why]) => (word !== undefined && why) || loginProblem(recorded, word),
        ),
    };
}

/** What ServerKeys gets of it. A preview keeps the recorded keys: it knows no output of a resource that will change, and all machines are reached by these. */
export function loginForKeys(asks: LoginWord): Partial<ConstructorParameters<typeof ServerKeys>[1]> {
    const { word, plan } = asks;
    const problems = asks.problem as Promise<string>;
    if (word === undefined) return { problems, unread: asks.unread as Promise<string> };
    if (pulumi.runtime.isDryRun()) return { problems };
    return { problems, login: numbersAsked(plan) as Promise<object> };
}

/** The key in use in this run. */
export function serverLogin(keys: ServerKeys, { word, plan }: LoginWord): ServerLogin {
    const { privateKey, publicKey } = keys;
    if (word === undefined) return { privateKey, publicKey };
    const numbers = pulumi.output(plan);
    const first = { privateKey, publicKey };
    const later = (part: keyof SshKeyPair) =>
        pulumi.all([numbers, privateKey]).apply(([{ use }, known]) => {
            if (use === 0 && known !== "") return first[part];
            // Where the program could not read the state: see loginPlan.
            return keys.logins!.apply(all => all![use || Math.min(...Object.keys(all!).map(Number))]![part]);
        });
    return { privateKey: pulumi.secret(later("privateKey")), publicKey: later("publicKey") };
}

export interface LoginMachine {
    /** Of its server. */
    name: string;
    /** In our notes on it, if that is another one. */
    node?: string;
    /** Another value is another machine. */
    id: pulumi.Input<string | undefined>;
    connection: DeepInput<SshTarget>;
}

interface Rotated extends Pick<LoginWord, "plan"> {
    word: string;
    name: string;
    keys: ServerKeys;
    clusterId: pulumi.Output<string>;
    user: pulumi.Input<string>;
    machines: readonly LoginMachine[];
    parent: pulumi.Resource;
    unchecked: object;
    /** All that keeps a login in the state: each must have the key in use before another one ends. */
    after: readonly pulumi.Resource[];
}

/** Exchanges the key on the machines. */
export function makeLoginRotation(rotated: Rotated): LoginRotation {
    const { name, word, plan, keys, clusterId, user, machines, parent, unchecked, after } = rotated;
    const numbers = pulumi.output(plan);
    const first = keys.publicKey.apply(known => ({ 0: known }));
    const publicKeys = numbers.apply(({ use, add }) =>
        use === 0 && add === undefined
            ? first
            : pulumi.all([first, keys.logins]).apply(([own, all]) => ({
                  ...own,
                  ...Object.fromEntries(Object.entries(all ?? {}).map(([key, pair]) => [key, pair.publicKey])),
              })),
    );
    const inputs = {
        ...{ clusterId, user },
        word: endOf(after).then(() => word),
        use: numbers.apply(({ use }) => use),
        add: numbers.apply(({ add }) => add),
        machines: Object.fromEntries(machines.map(({ name: machine, id }) => [machine, id])),
        targets: pulumi.jsonStringify(machines.map(({ id: _, ...target }) => target)),
        publicKeys,
        newKey: numbers.apply(({ add }) => add && keys.logins!.apply(all => all?.[add]?.privateKey)),
        ...unchecked,
    };
    return new LoginRotation(name, inputs as unknown as Args<LoginRotationInputs>, { parent });
}
