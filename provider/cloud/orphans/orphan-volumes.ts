import { NfvError } from "../../common/errors";
import { importCommand, type Place, storageInput } from "../../contract/place-in-program";
import type { InSession } from "../../contract/types";
import { listVolumes, type Volume } from "../../openstack/cinder";
import { ownerTag, volumeKey } from "../../openstack/requirements";
import { cloudOf } from "./orphan-servers";
import { type PartsOwner, unknownToState } from "./orphans";

/** A volume of a storage server that will be created. */
export interface WantedVolume {
    name: string;
    metadata: Record<string, string>;
    /** It will be made from this snapshot. */
    snapshotId?: string;
}

/**
 * Runs before a volume of a storage server is created. One that a destroy kept, or a killed run made, may have data: an empty one in its place would
 * hide it. The key of the former state does not count, because a new state has another one. @throws NOT_OURS
 */
export async function refuseSecondVolume(
    { name, metadata, snapshotId }: WantedVolume,
    owner: PartsOwner,
    place: Place,
    context: InSession,
): Promise<void> {
    const found = (await namesakes(name, owner, context)).filter(
        each => each.metadata[volumeKey] === metadata[volumeKey],
    );
    if (found.length === 0) return;
    const each = found.map(({ id, size, status }) => `${id} (${size} GiB, ${status})`).join(", ");
    const own = found.find(({ metadata: seen }) => seen[ownerTag] === owner.mark[ownerTag]);
    throw new NfvError({
        code: "NOT_OURS",
        cause: `a volume "${name}" of this cluster exists already, and Pulumi's state does not know it: ${each}. ${own === undefined ? "A former destroy kept it, or a killed run made it" : "This program has made it, and its state no longer has it"}`,
        hint: [
            ...(snapshotId === undefined ? [] : [besideIt(name, found)]),
            own === undefined ? useOrDelete(metadata[volumeKey]!, found, place) : noteVolume(own.id, place).trimEnd(),
        ].join(" "),
    });
}

/** A volume of another name does not count as this one. It keeps its data, and its mark for the day on which it is named by id. */
function besideIt(name: string, found: readonly Volume[]): string {
    const commands = found.map(({ id }) => `openstack volume set --name ${name}-${id.slice(0, 8)} ${id}`);
    return `To keep it beside the one that the snapshot brings back, give it another name: ${commands.join("; ")}. Then run pulumi up again.`;
}

function useOrDelete(key: string, found: readonly Volume[], place: Place): string {
    return (
        `To use it with its data: ${storageInput(`volumes.${key}.volumeId`, place)}: "${found[0]!.id}". ` +
        `If its data may be lost: openstack volume delete ${found.map(({ id }) => id).join(" ")}. Then run pulumi up again.`
    );
}

/** volumeId would be wrong: the state may have the attachment, and the end of that one would pull the volume from the server. */
const noteVolume = (id: string, place: Place) =>
    `Note it, with its data: ${importCommand("openstack:blockstorage/volume:Volume", id, place)}. Then run pulumi up again. `;

/** Volumes of this name that this cluster and program have made, whatever the key of the state. */
async function namesakes(name: string, owner: PartsOwner, context: InSession): Promise<Volume[]> {
    const { [ownerTag]: _, ...mark } = owner.mark;
    return (await listVolumes(await cloudOf(owner, context))).filter(
        each => each.name === name && Object.entries(mark).every(([key, value]) => each.metadata[key] === value),
    );
}

/**
 * Runs before a data volume of a node is created. A refresh through a proxy that answers 404 takes volumes out of the state; with another volume the
 * one that is mounted would be detached. @throws NOT_OURS
 */
export async function refuseVolumeInUse(
    { name }: Pick<WantedVolume, "name">,
    owner: PartsOwner,
    place: Place,
    context: InSession,
): Promise<void> {
    // An attached volume is not always "in-use": a backup or a growth has a status of its own.
    const found = (await namesakes(name, owner, context)).find(
        ({ status, attachments }) => status === "in-use" || (attachments ?? []).length > 0,
    );
    if (found === undefined) return;
    throw unknownToState(
        `the volume "${name}" (${found.id}) of this cluster exists and is in use`,
        `${noteVolume(found.id, place)}To replace a volume by another one, detach it first.`,
    );
}

/** Runs before a volume of a storage server is changed: a run without a preview has checked nothing before. @throws INVALID_INPUT */
export function refuseShrinking(before: { name: string; size: number }, after: { size: number }): void {
    if (after.size >= before.size) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `the volume "${before.name}" cannot shrink from ${before.size} to ${after.size} GiB: a file system with data is on it; nothing was changed`,
        hint: "Set sizeGiB back. Or make a smaller volume of another name and copy the data.",
    });
}
