import type { EngineEvent } from "@pulumi/pulumi/automation";
import { descriptorOf } from "../../provider/adapters/descriptors";
import { isMachine } from "../../provider/machine/stored-machine";
import { canonicalJson } from "../../provider/steps/fingerprint";
import { type Act, changes } from "./acts";
import type { InputHashes } from "./exchange";
import { coverOf, uncoveredSecrets } from "./secret-hashes";
import { isOurs, nameIn, shortType } from "./urns";

type Metadata = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];

/** A resource that is no machine and no membership. */
export interface PlannedResource {
    urn: string;
    name: string;
    /** "OperationStart"; of others Pulumi's type token. */
    type: string;
    act: Act;
    /** Name of the cluster's resource whose part it is; undefined: it is part of none. */
    cluster?: string;
}

/** All that the engine says of one resource. */
export interface Entry extends Omit<PlannedResource, "act" | "cluster"> {
    isOurs: boolean;
    /** URN of the component that it belongs to. */
    owner: string;
    /** Name of that component; with its types, if two clusters in different components have the same name. */
    cluster: string;
    /** Undefined: nothing is done to it. */
    act?: Act;
    old?: Metadata["old"];
    new?: Metadata["new"];
    /** Undefined: it is new. */
    id?: string;
    /** Ids of what is deleted: of it, and of what former runs have left. */
    deletes: readonly string[];
    /** Names of the inputs that differ, if the engine says so. */
    changed?: readonly string[];
    /** Paths of what differs and of what makes it be replaced, as the engine says. */
    differs: readonly string[];
}

/** Of a plugin: which cloud, which region. It is in the hash, but no part of a site. */
const isProvider = ({ type }: Entry) => type.startsWith("pulumi:providers:");

/** Inputs of our resources without meaning: code of the provider, and values that each preview makes at random until they are stored. */
const meaningless = ["__provider", "mark", "owner"];

/** A resource of ours that follows from the rest. */
const isRecord = ({ isOurs, type }: Entry) => isOurs && descriptorOf(type)?.inPlan === "bookkeeping";

/** Whether a type of this package only notes something, and takes no time worth a look. Those that run hooks and wait for nodes are none of them. Pure. */
export const isBookkeeping = (type: string): boolean =>
    descriptorOf(type)?.inPlan === "bookkeeping" && !type.startsWith("Operation");

/** The resources of a preview. The engine names one that it replaces three times. */
export class ResourceList {
    private readonly byUrn = new Map<string, Entry>();
    /** Of all resources, also of components. */
    private readonly parents = new Map<string, string>();

    add({ op, urn, type, old, new: next, detailedDiff, diffs, keys }: Metadata): void {
        const parent = (next ?? old)?.parent ?? "";
        this.parents.set(urn, parent);
        const custom = (next ?? old)?.custom ?? false;
        if (!custom) return;
        const known = this.byUrn.get(urn);
        const act = known?.act === "replace" ? "replace" : (changes[op] ?? known?.act);
        const isDeletion = op === "delete" || op === "delete-replaced";
        const id = (isDeletion ? undefined : old?.id) ?? known?.id;
        const changed = Object.keys(detailedDiff ?? {}).map(path => /^[^.[]*/.exec(path)![0]);
        this.byUrn.set(urn, {
            ...{ urn, name: nameIn(urn), type: shortType(type), isOurs: isOurs(type) },
            owner: nameIn(parent) === "" ? urn : parent,
            cluster: "",
            ...(act !== undefined && { act }),
            old: old ?? known?.old,
            new: next ?? known?.new,
            ...(id !== undefined && { id }),
            deletes: [...(known?.deletes ?? []), ...(isDeletion && old?.id ? [old.id] : [])],
            ...(changed.length > 0 && { changed }),
            differs: [
                ...new Set([known?.differs, Object.keys(detailedDiff ?? {}), diffs, keys].flatMap(each => each ?? [])),
            ].sort(),
        });
    }

    ofType(type: string): Entry[] {
        return this.all(type).map(entry => ({ ...entry, cluster: this.clusterOf(entry) }));
    }

    private all(type: string): Entry[] {
        return [...this.byUrn.values()].filter(entry => entry.isOurs && entry.type === type);
    }

    /** All of this package that something is done to, in the order of their URNs. */
    acted(): Entry[] {
        return [...this.byUrn.values()]
            .filter(({ isOurs, act }) => isOurs && act !== undefined)
            .map(entry => ({ ...entry, cluster: this.clusterOf(entry) }))
            .sort(byUrn);
    }

    private clusterOf({ owner }: Entry): string {
        const name = nameIn(owner);
        const owners = new Set(this.all("OperationStart").map(start => start.owner));
        const isAlone = ![...owners].some(other => other !== owner && nameIn(other) === name);
        return isAlone || !owners.has(owner) ? name : owner.split("::").slice(2).join("::");
    }

    /** All of this package. */
    ours(): Entry[] {
        return [...this.byUrn.values()].filter(({ isOurs }) => isOurs).sort(byUrn);
    }

    /** Secrets that may become others, and that the hash does not cover. */
    uncovered(hashes: InputHashes): string[] {
        return [...this.byUrn.values()].sort(byUrn).flatMap(entry => uncoveredSecrets(entry, hashes) ?? []);
    }

    /** Words that may name a resource: URNs, names and types of all, also of those that stay as they are. */
    words(): string[] {
        const named = [...this.byUrn.values()].filter(entry => !isProvider(entry) && !isRecord(entry));
        return [...new Set(named.flatMap(({ urn, name, type }) => [urn, name, type]))];
    }

    /** All but machines, memberships and bookkeeping, if they are acted on. */
    others(): PlannedResource[] {
        return [...this.byUrn.values()]
            .filter(entry => !isProvider(entry) && !isRecord(entry) && !(entry.isOurs && isMachine(entry.type)))
            .flatMap(({ urn, name, type, act }) =>
                act === undefined ? [] : [{ urn, name, type, act, ...this.partOf(urn) }],
            )
            .sort(byUrn);
    }

    private partOf(urn: string): Pick<PlannedResource, "cluster"> {
        const starts = this.ofType("OperationStart");
        for (let above = this.parents.get(urn); above; above = this.parents.get(above)) {
            const start = starts.find(({ owner }) => owner === above);
            if (start !== undefined) return { cluster: start.cluster };
        }
        return {};
    }

    /**
     * What the hash is made of besides the plan: wanted inputs of all that is acted on, where the engine hides secrets, their keyed hashes, and what is put back. Without marks
     * that this preview has made: the objects of a network function carry them.
     */
    fingerprint(hashes: InputHashes): string {
        const all = [...this.byUrn.values()].filter(({ act }) => act !== undefined).sort(byUrn);
        const text = canonicalJson(
            all.map(entry => {
                const { urn, act, isOurs, old, new: next } = entry;
                const inputs = next?.inputs ?? {};
                const [wanted, putBack] = isOurs
                    ? [meaningful(inputs), repairsOf(old?.outputs ?? {})]
                    : [inputs, differencesOf(entry)];
                return [urn, act, wanted, putBack, coverOf(entry, hashes).hashes];
            }),
        );
        const fresh = all.flatMap(({ isOurs, type, act, new: next }) => {
            const mark = isOurs && type === "OwnerMark" && act === "create" ? next?.inputs?.["mark"] : undefined;
            return typeof mark === "string" && /-[0-9a-f]{12}$/.test(mark) ? [mark] : [];
        });
        return fresh.reduce((rest, mark) => rest.replaceAll(mark, "fresh"), text);
    }
}

const byUrn = (a: { urn: string }, b: { urn: string }) => (a.urn < b.urn ? -1 : 1);

/** What a refresh has found and a former run has left: which steps are done again. */
function repairsOf({ drift = {}, pending = [], done = {} }: Record<string, unknown>): unknown {
    const drifted = Object.entries(drift as Record<string, { fingerprint?: unknown }>);
    return [drifted.map(([id, { fingerprint }]) => [id, fingerprint]), pending, done];
}

/** Of other packages the engine says what differs, and a refresh has perhaps found it. Where a package does not say it, all that it has counts. */
function differencesOf({ act, differs, old }: Entry): unknown {
    if (differs.length > 0 || act === "create" || act === "delete") return differs;
    return old?.outputs ?? {};
}

function meaningful(inputs: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(inputs).filter(([name]) => !meaningless.includes(name)));
}
