import * as pulumi from "@pulumi/pulumi";
import { type Args, type DeepInput, LoginRotation, type ServerKeys, typeToken } from "../../../provider/dynamic";
import type { SshKeyPair } from "../../../provider/openstack/host-key";
import { ownState } from "../../../provider/own-state";
import type { LoginRotationInputs, LoginRotationState } from "../../../provider/resources/login-rotation";
import type { SshTarget } from "../../../provider/ssh/types";
import { promiseOf } from "../../../provider/unknown/later";
import { endOf } from "../../end-of";

/** Which of the login keys this run uses, by their numbers: 0 is the first one. */
export interface LoginPlan {
    use: number;
    /** It is made, and made known to the machines. */
    add?: number;
    /** Keys with a lower number have ended. */
    before: number;
}

/** What the state says of the last rotation, at the start of the run. */
export type RecordedLogin = Pick<LoginRotationState, "present" | "next">;

/** Pure. `isNew`: there are no keys yet, so the first one is the word's. */
export function loginPlan(recorded: RecordedLogin | undefined, word: string, isNew: boolean): LoginPlan {
    if (recorded === undefined) return { use: 0, before: 0, ...(!isNew && { add: 1 }) };
    const { present, next } = recorded;
    const before = present.key;
    if (next !== undefined) return { use: next.key, before };
    return { use: present.key, before, ...(word !== present.word && { add: present.key + 1 }) };
}

/** The key by which our user logs in to the servers. */
export interface ServerLogin {
    privateKey: pulumi.Output<string>;
    publicKey: pulumi.Output<string>;
}

/** A rotation of it, which the program has a word for. */
export interface LoginWord {
    word: string;
    plan: Promise<LoginPlan>;
}

/** What a program says of `rotate.loginKey`, with what the state says. */
export function loginWord(
    name: string,
    word: string | undefined,
    parents: { rotation: pulumi.Resource; keys: pulumi.Resource | undefined },
): LoginWord | undefined {
    if (word === undefined) return undefined;
    // Bare promises: outputs would depend on the parents, for which their children then wait forever.
    const urns = [
        promiseOf(pulumi.createUrn(name, typeToken("LoginRotation"), parents.rotation)),
        promiseOf(pulumi.createUrn(name, typeToken("ServerKeys"), parents.keys)),
    ] as const;
    const plan = Promise.all([ownState(), ...urns]).then(([state, rotation, keys]) => {
        const recorded = state[rotation]?.outputs as Partial<RecordedLogin> | undefined;
        const known = recorded?.present && { present: recorded.present, ...(recorded.next && { next: recorded.next }) };
        return loginPlan(known, word, state[keys] === undefined);
    });
    return { word, plan };
}

/** What ServerKeys gets of it. A preview keeps the recorded keys: it knows no output of a resource that will change, and all machines are reached by these. */
export function wordForKeys(
    login: LoginWord | undefined,
): Pick<ConstructorParameters<typeof ServerKeys>[1], "word" | "login"> {
    if (login === undefined) return {};
    const asked = login.plan.then(({ add, before }) =>
        add === undefined && before === 0 ? undefined : { before, ...(add !== undefined && { make: add }) },
    );
    return { word: login.word, ...(!pulumi.runtime.isDryRun() && { login: asked as Promise<object> }) };
}

/** The key in use in this run. */
export function serverLogin(keys: ServerKeys, login: LoginWord | undefined): ServerLogin {
    const { privateKey, publicKey } = keys;
    if (login === undefined) return { privateKey, publicKey };
    const plan = pulumi.output(login.plan);
    const later = (part: keyof SshKeyPair) =>
        plan.apply(({ use }) => (use === 0 ? first[part] : keys.logins!.apply(all => all![use]![part])));
    const first = { privateKey, publicKey };
    return { privateKey: pulumi.secret(later("privateKey")), publicKey: later("publicKey") };
}

export interface LoginMachine {
    name: string;
    /** Another value is another machine. */
    id: pulumi.Input<string | undefined>;
    connection: DeepInput<SshTarget>;
}

interface Rotated extends LoginWord {
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
    const first = pulumi
        .all([keys.privateKey, keys.publicKey])
        .apply(([known, shown]) => (known === "" ? {} : { 0: shown }));
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
        targets: pulumi.jsonStringify(machines.map(({ name: machine, connection }) => ({ name: machine, connection }))),
        publicKeys,
        ...unchecked,
    };
    return new LoginRotation(name, inputs as unknown as Args<LoginRotationInputs>, { parent });
}
