import { NfvError } from "../errors";
import type { CloudClient } from "../openstack";
import { markWord, ownerTags } from "../openstack/needs";
import { cloudOf, type ServersOwner } from "./orphan-servers";
import type { Context } from "./types";

/** Whose parts of the cloud these are. */
export type PartsOwner = Pick<ServersOwner, "cloud" | "project" | "region" | "mark">;

/**
 * A kind of thing of which the cloud takes no second one. Pulumi knows a thing only when the plug-in has waited for it, so a run that is
 * killed before leaves it in the way of the next run.
 */
export interface Obstacle<T> {
    /** All that is in the way of what is to be made. */
    find(cloud: CloudClient): Promise<T[]>;
    /** What is found there is in no way, and stays where it is not proven to be an orphan. @default false */
    othersStay?: boolean;
    /** One of them as it is now; undefined: it is gone, or no longer in the way. */
    again(thing: T, cloud: CloudClient): Promise<T | undefined>;
    /** Proven: a killed run of this state left it, and nothing uses it. */
    isOrphan(thing: T, cloud: CloudClient): boolean | Promise<boolean>;
    /** `the port "core-api" (id)` */
    name(thing: T): string;
    /** How it is in the way: "has the address 10.0.0.9 already". */
    how(thing: T): string;
    remove(thing: T, cloud: CloudClient): Promise<unknown>;
    /** What a user does with one that is not proven to be ours: the exact command. */
    hint(thing: T): string;
}

/**
 * Before a thing is made: removes what a killed run left in its way. Nothing is touched where one of the things is not proven to be that.
 * @throws NOT_OURS, or CLOUD_CONFIG_INVALID for credentials of another project
 */
export async function clear<T>(obstacle: Obstacle<T>, owner: PartsOwner, context: Context): Promise<void> {
    const cloud = await cloudOf(owner);
    const found = await obstacle.find(cloud);
    const isOrphan = await Promise.all(found.map(thing => obstacle.isOrphan(thing, cloud)));
    const stranger = found.find((_, i) => !isOrphan[i]);
    if (stranger !== undefined && !obstacle.othersStay) throw notOurs(obstacle, stranger);
    for (const thing of found.filter((_, i) => isOrphan[i])) {
        // The proof is looked at again: others may have taken it in hand meanwhile.
        const now = await obstacle.again(thing, cloud);
        if (now === undefined) continue;
        if (!(await obstacle.isOrphan(now, cloud))) throw notOurs(obstacle, now);
        const what = `${obstacle.name(now)} of this cluster ${obstacle.how(now)}`;
        context.warn(`${what}, as a killed run leaves it: it is deleted, then made again`);
        await obstacle.remove(now, cloud);
    }
}

function notOurs<T>({ name, how, hint }: Obstacle<T>, thing: T): NfvError {
    return new NfvError({
        code: "NOT_OURS",
        cause: `${name(thing)} ${how(thing)}, and is not what a killed run of this state left`,
        hint: hint(thing),
    });
}

/**
 * Made from this state, as this very thing: a run that ended well has noted it, so a killed one made it. Tags are set last, so they may be
 * missing; one that is not ours was given by somebody who has it in hand.
 */
export function wasMadeAs(
    description: string | undefined,
    thing: { description?: string; tags?: string[] },
    { mark }: PartsOwner,
): boolean {
    const ours = ownerTags(mark);
    return (
        description?.includes(markWord(mark)) === true &&
        thing.description === description &&
        (thing.tags ?? []).every(tag => ours.includes(tag))
    );
}
