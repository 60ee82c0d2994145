import { NfvError } from "../common/errors";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown } from "../contract/values";
import {
    askClusterUid,
    type KubeApi,
    type KubeObject,
    NotYet,
    readClusterUid,
    rightsWaitSeconds,
    settle,
} from "../vim";
import { apiOf, type ClusterAccess, checkCluster, liveSeconds } from "../vim/check-cluster";
import { allKinds, nearKinds } from "../vim/discovery";
import {
    annotateCommand,
    groupKind,
    handOverAnnotation,
    lookAtObjects,
    type ObjectName,
    objectKey,
    ownerAnnotation,
    titleOf,
} from "../vim/ownership";
import { wrongFields } from "../vim/try-objects";
import { compareUids } from "../vim/vim-cluster";

export interface CnfObjectsInputs extends CommonInputs {
    /** Name of the network function. */
    cnf: string;
    access: ClusterAccess;
    /** If it changes, everything is created on another cluster. */
    clusterId: string;
    /** The mark on all objects of the network function. */
    owner: string;
    /** All objects that it will apply. */
    objects: ObjectName[];
    /** Those of their apiVersions that are part of Kubernetes. */
    builtIn: string[];
    /**
     * Kinds that this run defines, by this network function or another part of the program: "Foo.example.com"; "*": which ones is not known yet.
     * All other kinds must exist.
     * @default none
     */
    defined?: string[];
    /** Kinds of which only the cluster knows whether they have namespaces. @default none */
    floating?: string[];
    /** Namespace of those of their objects that name none. @default "default" */
    namespace?: string;
    /** The objects themselves, in the order of `objects`, for a dry run at the check; not kept in the state. Null: not known yet. Secret. */
    contents?: (KubeObject | null)[];
    /** Set by check: those of the floating kinds that have namespaces. */
    namespaced?: string[];
    /**
     * Set by check: keys of the objects that were handed over. They are applied with force, because other managers own
     * some of their fields.
     */
    taken?: string[];
    /** Set by check: uid of the cluster that was last checked. */
    clusterUid?: string;
}

const compared = ["access", "owner", "objects", "builtIn", "cnf", "taken", "floating", "namespace", "namespaced"];

/** What must be checked. */
export type CnfClaim = Pick<
    CnfObjectsInputs,
    "cnf" | "access" | "objects" | "builtIn" | "defined" | "floating" | "namespace" | "contents"
>;

interface Seen {
    problem?: NfvError;
    taken: string[];
    namespaced?: string[];
    /** Floating kinds that another part of this run has not defined yet: only at preview nothing is wrong with that. */
    absent?: Kind[];
    clusterUid?: string;
    /** A warning about objects that are taken over. */
    warning?: string;
}

/**
 * The objects of a network function depend on this resource. It refuses objects that exist in the cluster without our
 * mark, at preview and again at the beginning of each `up`. @pulumi/kubernetes would take them over, and delete them
 * later.
 */
export const cnfObjects: ResourceType<CnfObjectsInputs, CnfObjectsInputs> = {
    check: (_olds, { contents: _, ...inputs }) => ({ inputs }),
    checkInCloud: async (olds, news, context) => {
        const needs = [news.access, news.owner, news.objects];
        let seen: Seen = { taken: [] };
        let asked = false;
        const look = async () => {
            // Until the mark is in the state, each preview creates another one.
            seen = await lookAtCnf(news, news.owner, olds.owner === news.owner);
            asked = true;
            return (await refusedReplacement(olds, news, seen.clusterUid)) ?? seen.problem;
        };
        const checked = await checkCluster({ cnf: news.cnf, whether: "its objects are free", needs, look }, context);
        if (seen.warning !== undefined) context.warn(seen.warning);
        const clusterUid = seen.clusterUid ?? olds.clusterUid;
        const namespaced = seen.namespaced ?? olds.namespaced;
        const inputs = {
            taken: allTaken(olds, news, seen),
            ...(namespaced && { namespaced }),
            ...(clusterUid && { clusterUid }),
        };
        // This is the only chance: for a replacement the engine calls check again, without the old inputs.
        const undecided = !asked && isRenamed(olds, news) && !hasUnknown(needs);
        if (undecided) return { failures: [{ property: "", reason: silentUnderAnotherName(news).message }], inputs };
        return { ...checked, inputs };
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId"]);
        const update = changed(olds, news, compared).length > 0;
        return { changes: replaces.length > 0 || update, replaces };
    },
    create: async (inputs, context) => ({ id: inputs.owner, outs: await claim(inputs, context) }),
    update: async (_id, _olds, news, context) => ({ outs: await claim(news, context) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async (_id, { owner }, context) => {
        // It comes before the deletion of its cluster in one stack.
        runFacts(context).did.gaveBack.add(owner);
    },
};

function isRenamed(olds: Partial<CnfObjectsInputs>, { clusterId }: CnfObjectsInputs): boolean {
    return olds.clusterId !== undefined && olds.clusterId !== clusterId;
}

function silentUnderAnotherName({ cnf, access }: CnfObjectsInputs): NfvError {
    const cause = `${access.endpoint} does not answer when it is asked whether it is another cluster than before`;
    const hint = "When it answers, run pulumi up again.";
    return new NfvError({ code: "API_UNREACHABLE", node: `Cnf "${cnf}"`, cause, hint });
}

/**
 * Refuses another Vim that is the same cluster under another name: the objects would be taken over there, and then
 * deleted as the former ones.
 */
async function refusedReplacement(
    olds: Partial<CnfObjectsInputs>,
    news: CnfObjectsInputs,
    seen: string | undefined,
): Promise<NfvError | undefined> {
    if (!isRenamed(olds, news)) return undefined;
    const former = olds.clusterUid ?? (olds.access && (await askClusterUid(olds.access)));
    const answer = compareUids(former, seen);
    if (answer === "other") return undefined;
    const { endpoint } = news.access;
    const keep = (give: string) =>
        `${give} its Vim the name that the cluster has in the state: clusterIdentifier: "${olds.clusterId}"; where the Vim has another one there, ` +
        "with pulumi up --replace and the URN of its access (nfv:VimRegistration::NAME in pulumi stack --show-urns).";
    const [cause, hint] =
        answer === "same"
            ? [
                  `${endpoint} is the same cluster as before under another name: all objects would be made again there, and then deleted`,
                  keep("Give"),
              ]
            : [
                  `whether ${endpoint} is another cluster than "${olds.clusterId}" cannot be told, as the uid of kube-system is not known of both: on the same cluster all objects would be made again, and then deleted`,
                  `If it is the same cluster, ${keep("give")} If it is another one, give the Cnf another name. Or give its Vim credentials that may read kube-system.`,
              ];
    return new NfvError({ code: "INVALID_INPUT", node: `Cnf "${news.cnf}"`, cause, hint });
}

/** An object that was taken once stays in the list while the program has it, because the other managers stay, too. */
function allTaken({ taken = [] }: Partial<CnfObjectsInputs>, { objects }: CnfObjectsInputs, seen: Seen): string[] {
    const wanted = hasUnknown(objects) ? undefined : new Set(objects.map(objectKey));
    return [...new Set([...taken, ...seen.taken])].filter(key => wanted?.has(key) ?? true).sort();
}

async function claim(inputs: CnfObjectsInputs, context: Context): Promise<CnfObjectsInputs> {
    const seen = await requireFree(inputs, inputs.owner, true, context);
    return { ...inputs, taken: allTaken(inputs, inputs, seen), namespaced: seen.namespaced ?? [] };
}

/** @throws NOT_OURS, INVALID_INPUT */
export async function requireFree(claimed: CnfClaim, owner: string, isKept: boolean, context: Context): Promise<Seen> {
    context.report("look whether the objects are free");
    const look = async () => {
        const now = await lookAtCnf(claimed, owner, isKept);
        if (now.problem === undefined && now.absent !== undefined) throw notDefinedYet(claimed.cnf, now.absent);
        return now;
    };
    const seen = await settle(rightsWaitSeconds, look, liveSeconds);
    if (seen.problem !== undefined) throw seen.problem;
    return seen;
}

/** `isKept`: the mark is in the state. */
async function lookAtCnf(claimed: CnfClaim, owner: string, isKept: boolean): Promise<Seen> {
    const { cnf, access, objects, builtIn, defined = [], floating = [], namespace, contents = [] } = claimed;
    const api = apiOf(access);
    const placed = objects.map(object =>
        namespace !== undefined && floating.includes(groupKind(object)) ? { namespace, ...object } : object,
    );
    const look = await lookAtObjects(api, placed, owner, cnf);
    const { notServed, unknownKinds, others, handedOver, left } = look;
    const namespaced = look.namespaced.filter(kind => floating.includes(kind));
    const clusterUid = await readClusterUid(api);
    // Keys are those of the program, which does not know the namespace of each custom resource.
    const keyOf = (object: ObjectName) => objectKey(objects[placed.indexOf(object)]!);
    const taken = [...handedOver, ...left].map(({ object }) => keyOf(object));
    const absent = unknownKinds.filter(each => floating.includes(groupKind(each)));
    const found = {
        ...{ taken, namespaced },
        ...(absent.length > 0 && { absent }),
        ...(clusterUid !== undefined && { clusterUid }),
    };
    const node = `Cnf "${cnf}"`;
    const unknown = unknownKinds.filter(
        each => !builtIn.includes(each.apiVersion) && !defined.includes("*") && !defined.includes(groupKind(each)),
    );
    if (unknown.length > 0) return { ...found, problem: await unknownKind(api, claimed, unknown) };
    const missing = notServed.filter(version => builtIn.includes(version));
    if (missing.length > 0) {
        const users = (version: string) =>
            objects.filter(({ apiVersion }) => apiVersion === version).map(({ kind, name }) => `${kind}/${name}`);
        const problem = new NfvError({
            code: "INVALID_INPUT",
            node,
            cause: missing.map(v => `${access.endpoint} does not have ${v} (${users(v).join(", ")})`).join("\n"),
            hint: "kubectl api-versions lists what it has.",
        });
        return { ...found, problem };
    }
    if (others.length > 0) return { ...found, problem: notOurs(node, cnf, isKept ? owner : undefined, others) };
    const isNew = look.absent.flatMap(({ object, kind }) => {
        const content = contents[placed.indexOf(object)];
        return content && !hasUnknown(content) ? [{ name: object, kind, content }] : [];
    });
    // Another definition of their kind may come in this run.
    const mayChange = (each: ObjectName) =>
        defined.includes(groupKind(each)) || (defined.includes("*") && !builtIn.includes(each.apiVersion));
    const wrong = await wrongFields(
        api,
        isNew.filter(({ name }) => !mayChange(name)),
    );
    if (wrong.length > 0) return { ...found, problem: wrongObjects(node, access.endpoint, wrong) };
    const soFar = await wrongFields(
        api,
        isNew.filter(({ name }) => mayChange(name)),
    );
    const shared = handedOver.filter(each => each.owner !== undefined);
    const names = (which: typeof shared) =>
        which.map(({ object, owner: other }) => `${titleOf(object)} (of ${other})`).join(", ");
    const warnings = [
        soFar.length > 0 &&
            `${node}: ${access.endpoint} would refuse these objects by the definition of their kind that it has now:\n${soFar.sort().join("\n")}`,
        shared.length > 0 &&
            `${node}: takes ${names(shared)}. Pulumi deletes an object when the Cnf that made it goes, also one that was handed over: before that, ` +
                "give the former Cnf the option retainOnDelete: true and run pulumi up",
        left.length > 0 &&
            `${node}: takes ${names(left)}, as a Cnf of the same name left it. If that Cnf is still there, in another stack, both change it`,
    ].filter(warning => warning !== false);
    return warnings.length === 0 ? found : { ...found, warning: warnings.join("\n") };
}

function wrongObjects(node: string, endpoint: string, wrong: string[]): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        node,
        cause: [`${endpoint} would refuse these objects:`, ...wrong.sort()].join("\n"),
        hint: "Nothing has been touched. Correct the fields; kubectl explain KIND shows those that the cluster knows.",
    });
}

type Kind = Pick<ObjectName, "apiVersion" | "kind">;

function notDefinedYet(cnf: string, kinds: Kind[]): NotYet {
    const names = kinds.map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`).join(", ");
    return new NotYet({
        code: "NOT_READY",
        node: `Cnf "${cnf}"`,
        cause: `the cluster does not have ${names} yet, which another part of the program defines`,
        hint: "Let this Cnf depend on that part: the option dependsOn.",
    });
}

async function unknownKind(api: KubeApi, { cnf, access, objects }: CnfClaim, kinds: Kind[]): Promise<NfvError> {
    const all = await allKinds(api);
    const lines = kinds.map(each => {
        const { apiVersion, kind } = each;
        const users = objects.filter(object => object.apiVersion === apiVersion && object.kind === kind);
        const names = users.map(({ name }) => name).join(", ");
        const near = nearKinds(each, all);
        const others = near.length === 0 ? "it has no similar one" : `near it has ${near.join(", ")}`;
        return `${access.endpoint} does not have the kind ${kind} of ${apiVersion} (${names}): ${others}`;
    });
    const given = kinds.map(each => `"${groupKind(each)}"`).join(", ");
    return new NfvError({
        code: "INVALID_INPUT",
        node: `Cnf "${cnf}"`,
        cause: lines.join("\n"),
        hint:
            "Nothing has been touched. Correct the kind or its version; or add its CustomResourceDefinition to this Cnf, which applies it first. " +
            `If something else in this run makes the definition, an operator for example: customKinds: [${given}].`,
    });
}

function notOurs(
    node: string,
    cnf: string,
    mark: string | undefined,
    others: { object: ObjectName; owner?: string }[],
): NfvError {
    const lines = others.map(({ object, owner: other }) => {
        const who = other === undefined ? "not made by pulumi-nfv" : `made by ${other}`;
        return `${titleOf(object)} exists already: ${who}`;
    });
    const unmarked = mark === undefined ? [] : others.filter(({ owner: other }) => other === undefined);
    const commands = (which: typeof others, annotation: string) =>
        which.map(({ object }) => annotateCommand(object, annotation)).sort();
    const hint = [
        "If this Cnf had another name before, give it that name as an alias. Otherwise delete them, give yours other names, or hand them over:",
        ...commands(others, `${handOverAnnotation}=${cnf}`),
        ...(unmarked.length > 0 ? ["If somebody only removed the mark:"] : []),
        ...commands(unmarked, `${ownerAnnotation}=${mark}`),
    ].join("\n");
    return new NfvError({ code: "NOT_OURS", node, cause: lines.sort().join("\n"), hint });
}
