import type { Image } from "../glance";
import type { Flavor } from "../nova";
import type { Problem, ServerNeed } from "../requirements";
import { suggestion } from "../suggest";
import { type Check, exists, known, type Situation, serverOf, theOne } from "./situation";

const gib = 1024 ** 3;
/** Minimum that kubeadm's preflight requires of a control-plane node. */
const least = { vcpus: 2, ram: 1700 };

/**
 * Reduces problems with images and flavors to those that concern this server. An existing server keeps what it was made
 * of, whatever the names mean today. But with a template of the user, Heat resolves its names again at each change of
 * the stack, and refuses the change if one no longer exists: then the problem becomes a warning.
 */
function forServer(situation: Situation, server: ServerNeed, problems: Problem[]): Problem[] {
    if (!stays(situation, server)) return problems;
    return situation.needs.ownTemplate && !server.isStorage ? problems.map(asWarning) : [];
}

/** Whether it has a server that this run keeps. */
function stays(situation: Situation, server: ServerNeed): boolean {
    return server.replaced !== true && serverOf(situation, server) !== undefined;
}

const asWarning = ({ hint, ...problem }: Problem): Problem => ({
    ...problem,
    severity: "warning",
    hint: `Servers that exist keep what they were made of, but Heat refuses every change of the stack until this is repaired: give the name back to one of them in the cloud${hint === undefined ? "" : `. ${hint}`}`,
});

export const flavorsExist: Check = situation =>
    situation.needs.servers.flatMap(server =>
        forServer(situation, server, exists("flavor", "flavor", situation.facts.flavors, server.flavor)),
    );

export const flavorsAreEnough: Check = situation =>
    situation.needs.servers.flatMap((server): Problem[] => {
        const flavor = theOne(situation.facts.flavors, server.flavor);
        if (stays(situation, server) || flavor === undefined || server.role !== "controlPlane") return [];
        if (flavor.vcpus >= least.vcpus && flavor.ram >= least.ram) return [];
        return [
            {
                id: "flavor-small",
                severity: "warning",
                path: server.flavor.path,
                message: `the flavor "${flavor.name}" has ${flavor.vcpus} vCPU and ${flavor.ram} MiB; kubeadm asks for ${least.vcpus} and ${least.ram} MiB on a master`,
                hint: "Choose a larger one.",
            },
        ];
    });

export const imagesExist: Check = situation =>
    situation.needs.servers.flatMap(server => forServer(situation, server, imageProblems(situation, server)));

function imageProblems({ facts }: Situation, { image }: ServerNeed): Problem[] {
    if (!known(image) || facts.images === undefined) return [];
    const { name, path } = image;
    const found = facts.images[name] ?? [];
    const [first] = found;
    if (first === undefined) {
        const hint = suggestion(name, facts.imageNames ?? []);
        return [{ id: "image-unknown", path, message: `there is no image "${name}" in this project`, hint }];
    }
    if (found.length > 1) {
        const hint = `Give one of the ids instead: ${found.map(({ id }) => id).join(", ")}.`;
        return [{ id: "image-ambiguous", path, message: `${found.length} images are called "${name}"`, hint }];
    }
    if (first.status === "active") return [];
    const message = `the image "${name}" is ${first.status}, not active`;
    return [{ id: "image-inactive", path, message, hint: "Wait until it is uploaded, or choose another one." }];
}

export const imagesFit: Check = situation =>
    situation.needs.servers.flatMap(server => {
        const image = imageOf(situation, server);
        if (image === undefined || stays(situation, server)) return [];
        const flavor = theOne(situation.facts.flavors, server.flavor);
        return [...diskProblem(server, image, flavor), ...memoryProblem(server, image, flavor)];
    });

function imageOf({ facts }: Situation, { image }: ServerNeed): Image | undefined {
    const found = known(image) ? (facts.images?.[image.name] ?? []) : [];
    return found.length === 1 ? found[0] : undefined;
}

function diskProblem(
    { flavor: { path }, bootVolume }: ServerNeed,
    image: Image,
    flavor: Flavor | undefined,
): Problem[] {
    const bytes = image.virtual_size ?? image.size ?? 0;
    const needed = Math.max(image.min_disk, Math.ceil(bytes / gib));
    if (bootVolume !== undefined) {
        if (!known(bootVolume) || bootVolume.sizeGiB >= needed) return [];
        const message = `the boot volume has ${bootVolume.sizeGiB} GiB; the image "${image.name}" needs ${needed}`;
        return [{ id: "boot-volume-small", path: bootVolume.path, message, hint: `Give it at least ${needed} GiB.` }];
    }
    // A flavor with disk 0 gives a disk of the image's size.
    if (flavor === undefined || flavor.disk === 0 || flavor.disk >= needed) return [];
    const message = `the flavor "${flavor.name}" has a disk of ${flavor.disk} GiB; the image "${image.name}" needs ${needed}`;
    return [{ id: "flavor-disk-small", path, message, hint: "Choose a larger flavor, or boot from a volume." }];
}

function memoryProblem({ flavor: { path } }: ServerNeed, image: Image, flavor: Flavor | undefined): Problem[] {
    if (flavor === undefined || flavor.ram >= image.min_ram) return [];
    const message = `the flavor "${flavor.name}" has ${flavor.ram} MiB of memory; the image "${image.name}" needs ${image.min_ram}`;
    return [{ id: "flavor-memory-small", path, message, hint: "Choose a larger flavor." }];
}

export const zonesExist: Check = situation => {
    const {
        needs,
        facts: { zones },
    } = situation;
    const toMake = needs.servers.filter(server => !stays(situation, server));
    const servers = toMake.map(server => ({ zone: server.zone, zones: zones?.compute, what: "" }));
    const volumes = toMake
        .flatMap(server => [...(server.volumes ?? []), ...(server.bootVolume ? [server.bootVolume] : [])])
        .concat(needs.volumes ?? [])
        .map(volume => ({ zone: volume.zone, zones: zones?.volume, what: " for volumes" }));
    return [...servers, ...volumes].flatMap(({ zone, zones: there, what }): Problem[] => {
        if (!known(zone) || there === undefined || there.includes(zone.name)) return [];
        const message = `there is no availability zone "${zone.name}"${what}`;
        return [{ id: "zone-unknown", path: zone.path, message, hint: suggestion(zone.name, there) }];
    });
};

export const keyPairExists: Check = ({ needs: { keyPair }, facts: { keyPairs } }) => {
    if (!known(keyPair) || keyPairs === undefined || keyPairs.includes(keyPair.name)) return [];
    const message = `this user has no key pair "${keyPair.name}" (key pairs belong to users, not to projects)`;
    const hint = suggestion(keyPair.name, keyPairs) ?? "Leave it out: one is made for the cluster.";
    return [{ id: "key-pair-unknown", path: keyPair.path, message, hint }];
};
