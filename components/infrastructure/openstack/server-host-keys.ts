import * as pulumi from "@pulumi/pulumi";
import { type Args, type DeepInput, HostKeyRotation, type ServerKeys } from "../../../provider/adapters/dynamic";
import { heldKeys } from "../../../provider/cloud/held-keys";
import { hostKeyOf, type SshKeyPair } from "../../../provider/openstack/host-key";
import type { HostKeyRotationInputs } from "../../../provider/procedures/logins/host-key-rotation";
import { anyOf, keyOfThisRun } from "../../../provider/ssh/host-keys";
import type { SshTarget } from "../../../provider/ssh/types";
import { endOf } from "../../common/end-of";
import { type NumberPlan, numbersAsked, rotationRecord, type SeenRotation } from "./rotation-record";
import type { LoginMachine } from "./server-login";

/**
 * Which seeds of host keys this run uses, by their numbers. `use`: servers that are made get its keys, too. `add`: the servers get its keys at the end of the run;
 * until then, and after it, either key is taken.
 */
export type HostKeyPlan = NumberPlan;

/**
 * Pure. Where the record of a rotation is missing, because a run was killed or a stopped destroy took it away, two seeds are one that has not ended: the servers
 * may show either key.
 */
export function hostKeyPlan({ recorded, numbers }: SeenRotation, word: string): HostKeyPlan {
    if (recorded === undefined) {
        const use = Math.min(...(numbers ?? [0]));
        const begins = numbers !== undefined && (use === 0 || numbers.length > 1);
        return { use, before: use, ...(begins && { add: Math.max(use + 1, ...numbers) }) };
    }
    const { present, next } = recorded;
    if (next !== undefined) return { use: next.key, before: next.key };
    const add = present.key + 1;
    const isUnderWay = word !== present.word || numbers?.includes(add) === true;
    return { use: present.key, before: present.key, ...(isUnderWay && { add }) };
}

/** Why the program cannot go on with this word. Pure. */
export function hostKeyProblem(
    { recorded, numbers = [0] }: SeenRotation,
    word: string | undefined,
): string | undefined {
    const { present, next } = recorded ?? {};
    const isOpen = next === undefined && numbers.length > 1;
    if (present?.word === word && word !== undefined && isOpen)
        return `rotate.hostKeys: "${word}" comes back before the rotation to another word has ended: servers may show its keys. Nothing was touched. Put that word back`;
    if (word === undefined) {
        const wasNone = numbers.length === 1 && numbers[0] === 0;
        const known = isOpen ? "the last word" : `"${next?.word ?? present?.word ?? "the last word"}"`;
        return wasNone
            ? undefined
            : `rotate.hostKeys was taken out of the program, and by its key the servers are known. Nothing was touched. Put ${known} back: it stays in the program`;
    }
    if (next === undefined || word === next.word) return undefined;
    return `rotate.hostKeys: "${word}" comes before the rotation to "${next.word}" has ended. Nothing was touched. Put "${next.word}" back for one more pulumi up`;
}

/** What a program and the state say of `rotate.hostKeys`. */
export interface HostKeyWord {
    /** Undefined: the program asks for no rotation. */
    word?: string;
    plan: Promise<HostKeyPlan>;
    /** Whether ServerKeys has the seed that is to be made: a run before this one has made it. */
    isMade: Promise<boolean>;
    problem: Promise<string | undefined>;
}

export function hostKeyWord(
    name: string,
    word: string | undefined,
    cluster: Pick<Parameters<typeof rotationRecord>[1], "clusterName" | "parents">,
): HostKeyWord {
    const { seen, unread } = rotationRecord(name, {
        ...{ type: "HostKeyRotation", numbers: "seedNumbers", ...cluster },
        known: "rotate.hostKeys knows the keys of the servers",
    });
    const plan = seen.then(found => (word === undefined ? { use: 0, before: 0 } : hostKeyPlan(found, word)));
    return {
        ...(word !== undefined && { word }),
        plan,
        isMade: Promise.all([seen, plan]).then(([{ numbers = [] }, { add = 0 }]) => numbers.includes(add)),
        problem: Promise.all([seen, unread]).then(
            ([found, why]) => (word !== undefined && why) || hostKeyProblem(found, word),
        ),
    };
}

/** What ServerKeys gets of it, as loginForKeys: at `up` only. */
export function seedsForKeys({ word, plan }: HostKeyWord): Partial<ConstructorParameters<typeof ServerKeys>[1]> {
    if (word === undefined || pulumi.runtime.isDryRun()) return {};
    return { hostKeys: numbersAsked(plan) as Promise<object> };
}

/** The host keys of this run's servers. */
export interface ServerHostKeys {
    /** Of a server that is made in this run. */
    pair(server: string): pulumi.Output<SshKeyPair>;
    /** What it may show: see heldKeys. */
    held(server: string): pulumi.Output<string>;
    /** The seeds from which that is derived. Secret. */
    seeds: pulumi.Output<string>;
    /** Of the keys that servers have when the run begins. Secret. */
    present: pulumi.Output<string>;
    /** Of those that they get. At preview it may not be there yet. Secret. */
    next: pulumi.Output<string | undefined>;
}

export function serverHostKeys(keys: ServerKeys, { word, plan, isMade }: HostKeyWord): ServerHostKeys {
    const { seed } = keys;
    const later = (number: number) => keys.seeds!.apply(all => all?.[number]);
    const known = pulumi.output(Promise.all([plan, isMade]));
    // "": it has ended, and whoever knows this package knows the keys that come of an empty text. Made where it is used: an output that fails ends the program.
    const first = () => seed.apply(each => (each === "" ? missing(0) : each));
    const of = (number: number): pulumi.Output<string> =>
        number === 0 ? first() : later(number).apply(each => each ?? missing(number));
    const present = word === undefined ? first() : pulumi.secret(known.apply(([{ use }]) => of(use)));
    const next: pulumi.Output<string | undefined> =
        word === undefined
            ? pulumi.output(undefined)
            : pulumi.secret(
                  known.apply(([{ add }, made]) => {
                      if (add === undefined) return pulumi.output<string | undefined>(undefined);
                      return pulumi.runtime.isDryRun() && !made
                          ? pulumi.output<string | undefined>(keyOfThisRun)
                          : later(add);
                  }),
              );
    const seeds =
        word === undefined
            ? present
            : pulumi.all([present, next]).apply(([now, then]) => anyOf([now, ...(then === undefined ? [] : [then])]));
    return {
        pair: server => present.apply(each => hostKeyOf(each, server)),
        held: server => pulumi.unsecret(seeds).apply(all => heldKeys(all, server)),
        ...{ seeds, present, next },
    };
}

function missing(number: number): never {
    throw new Error(`ServerKeys has no seed ${number} of host keys`);
}

/** Lines for a `known_hosts` of OpenSSH: both keys of a server while one becomes the other. Servers whose keys are not ours are left out. */
export function knownHosts(connections: readonly DeepInput<SshTarget>[]): pulumi.Output<string> {
    return pulumi.unsecret(pulumi.output(connections)).apply(all =>
        (all as SshTarget[])
            .flatMap(({ host, port = 22, hostKey = "" }) => {
                const place = port === 22 ? host : `[${host}]:${port}`;
                const keys = hostKey.split("\n").filter(key => key !== "" && key !== keyOfThisRun);
                return keys.map(key => `${place} ${key}\n`);
            })
            .join(""),
    );
}

export interface HostKeyMachine extends Pick<LoginMachine, "name" | "node" | "connection"> {
    isNode: boolean;
}

interface Rotated extends Pick<HostKeyWord, "plan"> {
    word: string;
    name: string;
    keys: ServerHostKeys;
    clusterId: pulumi.Output<string>;
    machines: readonly HostKeyMachine[];
    parent: pulumi.Resource;
    unchecked: object;
    /** All that keeps a connection in the state: each must have the new key before a machine shows it. */
    after: readonly pulumi.Resource[];
}

/** Exchanges the keys on the machines. */
export function makeHostKeyRotation(rotated: Rotated): HostKeyRotation {
    const { name, word, plan, keys, clusterId, machines, parent, unchecked, after } = rotated;
    const numbers = pulumi.output(plan);
    const inputs = {
        clusterId,
        word: endOf(after).then(() => word),
        use: numbers.apply(({ use }) => use),
        add: numbers.apply(({ add }) => add),
        machines: machines.map(each => each.name),
        targets: pulumi.jsonStringify(machines),
        seed: keys.present,
        newSeed: keys.next,
        ...unchecked,
    };
    return new HostKeyRotation(name, inputs as unknown as Args<HostKeyRotationInputs>, { parent });
}
