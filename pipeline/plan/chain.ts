import { NfvError } from "../../provider/common/errors";
import { minorOf } from "../../provider/kubernetes/releases";
import { versionRefusal } from "../../provider/kubernetes/support";
import { moveBetween } from "../../provider/member/upgrade/versions";
import type { StateResource } from "../../tools/check/stack-state";

/*
 * A chain of upgrades over several minor versions: which of them are left, by the state of the stack. Each is an upgrade of its own, because `pulumi up` can
 * update a node only once, and API servers of one cluster may differ by one minor only.
 */

/** Where a cluster stands, by the state of its stack. */
export interface Standing {
    clusterId: string;
    /** The version to which its last operation moves it. */
    wanted: string;
    /** By name. */
    nodes: Record<string, string>;
    /** Its last operation had `allowUnsupportedVersion: true`. */
    allowsUnsupported?: boolean;
}

/** Of each cluster in the state. Pure. */
export function standings(resources: readonly StateResource[]): Standing[] {
    const found = new Map<string, Standing>();
    for (const { type, outputs } of resources) {
        if (type !== "Node" && type !== "OperationStart") continue;
        const {
            clusterId,
            kubernetesVersion,
            name,
            allowUnsupportedVersion = false,
        } = opened<SpecOfVersion>(outputs["spec"]);
        if (clusterId === undefined || kubernetesVersion === undefined) continue;
        const standing = found.get(clusterId) ?? { clusterId, wanted: "", nodes: {} };
        found.set(clusterId, standing);
        if (type === "OperationStart") {
            standing.wanted = kubernetesVersion;
            standing.allowsUnsupported = allowUnsupportedVersion;
        } else if (name !== undefined) standing.nodes[name] = kubernetesVersion;
    }
    return [...found.values()];
}

interface SpecOfVersion {
    clusterId: string;
    kubernetesVersion: string;
    name: string;
    allowUnsupportedVersion: boolean;
}

/** Stored as a text, see provider/contract/packed.ts. */
export function opened<Spec extends object>(spec: unknown): Partial<Spec> {
    const plain: unknown = typeof spec === "string" ? JSON.parse(spec) : spec;
    return typeof plain === "object" && plain !== null ? plain : {};
}

export interface ChainQuestion {
    /** All versions, the last one of them included. */
    versions: readonly string[];
    standings: readonly Standing[];
    /** What the configuration of the stack says: of several clusters those that stand there are meant. */
    configured?: string | undefined;
    /** Folder → version, of bundles that were found. */
    bundles: Readonly<Record<string, string>>;
}

/**
 * The versions that are left, in order. The first one may be where the cluster stands: an upgrade that was stopped is ended first. Pure.
 * @throws INVALID_INPUT for a gap, with the missing minors and the bundles that are known, and for a cluster that is further already
 */
export function versionsLeft({ versions, standings: all, configured, bundles }: ChainQuestion): string[] {
    refuseDisorder(versions);
    const to = versions.at(-1)!;
    const meant = all.filter(each => configured !== undefined && versionsOf(each).includes(configured));
    const starts = (meant.length > 0 ? meant : all).flatMap(each => latest(versionsOf(each)) ?? []);
    // The components decide about a single one; it may also be the way back.
    if (versions.length === 1) {
        const [start] = starts.every(each => isJump(each, to)) ? [earliest(starts)] : [];
        if (start !== undefined) refuseGaps([start, to], bundles);
        return [to];
    }
    // Which of several clusters reads the configuration is not known before it has a version: one for which there is a gap is not meant.
    const firstOf = (start: string) => versions.find(version => !isEarlier(version, start));
    const fitting = starts.filter(start => !isJump(start, firstOf(start) ?? start));
    const from = earliest(fitting) ?? earliest(starts);
    if (from === undefined)
        throw wrong(`the stack has no cluster that could be upgraded to ${to}`, "Make it first: nfv instantiate.");
    if (isEarlier(to, from)) throw wrong(`the cluster is at ${from} already, which is later than ${to}`);
    const halfway = all.some(each => latest(versionsOf(each)) === from && versionsOf(each).some(v => v !== from));
    const left = versions.filter(version => !isEarlier(version, from));
    const steps = halfway && left[0] !== from ? [from, ...left] : left;
    refuseGaps([from, ...steps], bundles);
    return steps;
}

/** The clusters that may be the ones which move to a version: it is no jump and no downgrade for them. Pure. */
export function mayMoveTo(all: readonly Standing[], version: string): Standing[] {
    const fits = (from: string | undefined) =>
        from !== undefined && !["jump", "downgrade"].includes(moveBetween(from, version));
    return all.filter(each => fits(latest(versionsOf(each))));
}

/** Why this package will refuse a version of a chain behind the first. The preview of the first one judges it. Pure. */
export function chainRefusal(versions: readonly string[], allowed: boolean, today: Date): string | undefined {
    const refusals = versions.map((to, i) =>
        i === 0 ? undefined : versionRefusal({ from: versions[i - 1]!, to, allowed, place: "kubernetes." }, today),
    );
    return refusals.find(each => each !== undefined);
}

/** Nodes that do not have a version although their cluster moved to it: "w2 1.33.13". Pure. */
export function behind(all: readonly Standing[], version: string): string[] {
    return all
        .filter(({ wanted }) => wanted === version)
        .flatMap(({ nodes }) => Object.entries(nodes).filter(([, at]) => at !== version))
        .map(([name, at]) => `${name} ${at}`);
}

/** @throws INVALID_INPUT for versions that are none, or in another order */
export function refuseDisorder(versions: readonly string[]): void {
    for (const version of versions)
        if (!/^1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
            throw wrong(`upgrade: ${version}: a version such as 1.36.4 is expected`);
    const at = versions.findIndex((version, i) => i > 0 && !isEarlier(versions[i - 1]!, version));
    if (at > 0) throw wrong(`upgrade: ${versions[at]} is not later than ${versions[at - 1]}, which comes before it`);
}

/** kubeadm moves to the next minor at most. */
function refuseGaps(versions: readonly string[], bundles: Readonly<Record<string, string>>): void {
    const at = versions.findIndex((version, i) => i > 0 && isJump(versions[i - 1]!, version));
    if (at < 0) return;
    const [from, to] = [versions[at - 1]!, versions[at]!];
    const [major] = from.split(".");
    const between = (one: string, other: string) =>
        Array.from({ length: minorOf(other) - minorOf(one) - 1 }, (_, i) => `${major}.${minorOf(one) + 1 + i}`);
    const missing = between(from, to);
    const known = Object.entries(bundles).map(([folder, version]) => `${version} (${folder})`);
    const oneOf = (minor: string) =>
        latest(Object.values(bundles).filter(version => version.startsWith(`${minor}.`))) ?? `${minor}.PATCH`;
    const whole = versions.slice(1).flatMap((version, i) => [...between(versions[i]!, version).map(oneOf), version]);
    const example = whole.slice(0, -1).join(",");
    throw wrong(
        `from ${from} to ${to} one version of each minor between is missing: ${missing.join(", ")}; bundles that were found: ${known.join(", ") || "none"}`,
        `Name them: nfv upgrade ${versions.at(-1)} --through ${example}. A bundle is made by nfv bundle --kubernetes VERSION. Nothing was changed.`,
    );
}

const versionsOf = ({ wanted, nodes }: Standing) => [...Object.values(nodes), ...(wanted === "" ? [] : [wanted])];

const isEarlier = (a: string, b: string) => ["patch", "minor", "jump"].includes(moveBetween(a, b));

const isJump = (from: string, to: string) => moveBetween(from, to) === "jump";

const latest = (versions: readonly string[]) => [...versions].sort((a, b) => (isEarlier(a, b) ? 1 : -1))[0];

const earliest = (versions: readonly (string | undefined)[]) =>
    versions.filter(version => version !== undefined).sort((a, b) => (isEarlier(a, b) ? -1 : 1))[0];

function wrong(cause: string, hint?: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause, ...(hint !== undefined && { hint }) });
}
