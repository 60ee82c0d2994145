import type { Volume } from "../cinder";
import type { Problem, Reference } from "../requirements";
import { type Check, isOurs, known, type Situation } from "./situation";

/** The statuses of a volume that can be attached, or is about to be. */
const usable = ["available", "in-use", "attaching", "detaching", "extending"];

/** Volumes that the program names by id: they exist, no other server has them, and they are as large as the program says. */
export const givenVolumesFit: Check = situation => {
    const { needs, facts } = situation;
    const { volumes } = facts;
    if (volumes === undefined) return [];
    return needs.servers.flatMap(({ name, givenVolumes = [] }) =>
        givenVolumes.flatMap(({ id, sizeGiB, path }): Problem[] => {
            if (!known(id)) return [];
            const volume = volumes.find(each => each.id === id.name);
            if (volume === undefined) return [missing(id, name, volumes)];
            // The volume of a running server has other statuses, too: during a backup, or for good after an extension that failed.
            const isAttached = volume.attachments.length > 0;
            return [
                ...others(situation, volume, name).map(server => attached(id, volume, server)),
                ...(isAttached || usable.includes(volume.status) ? [] : [unusable(id, volume)]),
                ...(sizeGiB === undefined || volume.size >= sizeGiB ? [] : [small(path, volume, sizeGiB)]),
            ];
        }),
    );
};

/** Servers that have it, without the cluster's own of this name. None where the cloud refuses to list servers: any could be its own. */
function others(situation: Situation, { attachments }: Volume, name: string): string[] {
    const { servers } = situation.facts;
    if (servers === undefined) return [];
    const isOwn = (id: string) => servers.some(each => each.id === id && each.name === name && isOurs(situation, each));
    const told = (id: string) => servers.find(each => each.id === id)?.name;
    return attachments
        .map(({ server_id }) => server_id)
        .filter(id => !isOwn(id))
        .map(id => (told(id) === undefined ? id : `"${told(id)}" (${id})`));
}

function missing({ name: id, path }: Reference, server: string, volumes: readonly Volume[]): Problem {
    const named = volumes.filter(({ name }) => name?.startsWith(`${server}-`));
    const ids = named.map(({ name, id: found }) => `"${name}": ${found}`);
    return {
        id: "volume-unknown",
        path,
        message: `there is no volume ${id} in this project`,
        ...(ids.length > 0 && { hint: `Volumes of this cluster's name: ${ids.join(", ")}.` }),
    };
}

function attached({ path }: Reference, { id, name }: Volume, server: string): Problem {
    return {
        id: "volume-attached",
        path,
        message: `the volume "${name}" (${id}) is attached to the server ${server}, and a volume is never at two servers`,
        hint: "Take it from that server first, in the program that attached it, or destroy that cluster, which keeps it.",
    };
}

function unusable({ path }: Reference, { id, name, status }: Volume): Problem {
    return {
        id: "volume-unusable",
        path,
        message: `the volume "${name}" (${id}) cannot be attached: its status is ${status}`,
    };
}

function small(path: string, { id, name, size }: Volume, wanted: number): Problem {
    return {
        id: "volume-too-small",
        path: `${path}.sizeGiB`,
        message: `the volume "${name}" (${id}) has ${size} GiB, and ${wanted} are wanted`,
        hint: "A volume that volumeId names is extended in the cloud first.",
    };
}
