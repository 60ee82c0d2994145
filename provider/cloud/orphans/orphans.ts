import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import type { CloudClient } from "../../openstack";
import { markWord, ownerTags } from "../../openstack/requirements";
import { cloudOf, type ServersOwner } from "./orphan-servers";

/** The owner of these things in the cloud. */
export type PartsOwner = Pick<ServersOwner, "cloud" | "project" | "region" | "mark">;

/**
 * A kind of thing that the cloud does not create twice. Pulumi records a thing only after the plug-in has waited for
 * it, so a run that is killed before leaves one that blocks the next run.
 */
export interface Obstacle<T> {
    /** All things that block the creation. */
    find(cloud: CloudClient): Promise<T[]>;
    /** Found things do not block the creation; they stay unless they are proven to be orphans. @default false */
    othersStay?: boolean;
    /** Reads the thing again; undefined if it is gone or no longer blocks. */
    again(thing: T, cloud: CloudClient): Promise<T | undefined>;
    /** Whether it is proven that a killed run of this state left it and that nothing uses it. */
    isOrphan(thing: T, cloud: CloudClient): boolean | Promise<boolean>;
    /** `the port "core-api" (id)` */
    name(thing: T): string;
    /** How it blocks: "has the address 10.0.0.9 already". */
    how(thing: T): string;
    remove(thing: T, cloud: CloudClient): Promise<unknown>;
    /** What a user does with a thing that is not proven to be ours: the exact command. */
    hint(thing: T): string;
}

/**
 * Runs before a thing is created: removes what a killed run left in its way. If one of the things is not proven to be
 * that, nothing is changed.
 * @throws NOT_OURS, or CLOUD_CONFIG_INVALID for credentials of another project
 */
export async function clear<T>(obstacle: Obstacle<T>, owner: PartsOwner, context: Context): Promise<void> {
    const cloud = await cloudOf(owner, context);
    const found = await obstacle.find(cloud);
    const isOrphan = await Promise.all(found.map(thing => obstacle.isOrphan(thing, cloud)));
    const stranger = found.find((_, i) => !isOrphan[i]);
    if (stranger !== undefined && !obstacle.othersStay) throw notOurs(obstacle, stranger);
    for (const thing of found.filter((_, i) => isOrphan[i])) {
        // Verify the proof again: others may have used it meanwhile.
        const now = await obstacle.again(thing, cloud);
        if (now === undefined) continue;
        if (!(await obstacle.isOrphan(now, cloud))) throw notOurs(obstacle, now);
        const what = `${obstacle.name(now)} of this cluster ${obstacle.how(now)}`;
        context.warn(`${what}, as a killed run leaves it: it is deleted, then made again`);
        await obstacle.remove(now, cloud);
    }
}

/** `what`: "the router … of this cluster exists and is in use". */
export function unknownToState(what: string, hint: string): NfvError {
    const cause = `${what}, and Pulumi's state does not know it, or it is to be replaced; nothing was changed`;
    return new NfvError({ code: "NOT_OURS", cause, hint });
}

function notOurs<T>({ name, how, hint }: Obstacle<T>, thing: T): NfvError {
    return new NfvError({
        code: "NOT_OURS",
        cause: `${name(thing)} ${how(thing)}, and nothing proves that a killed run of this state left it unused`,
        hint: hint(thing),
    });
}

/**
 * Whether this state created it as this very thing. A run that ended well has recorded it, so a killed run created it.
 * Tags are set last, so they may be missing; a tag that is not ours means that somebody has changed it.
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
