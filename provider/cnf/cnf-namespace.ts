import { NfvError } from "../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../contract/give-up";
import { lookOrKeep } from "../contract/look-or-keep";
import { inPlaceOf, notePresent } from "../contract/present";
import type { CommonInputs, Context, InSession, Observed, ResourceType } from "../contract/types";
import { changed } from "../contract/values";
import { type KubeObject, NotYet, rightsWaitSeconds, settle } from "../vim";
import { apiOf, type ClusterAccess, checkCluster } from "../vim/check-cluster";
import { applyNamespace, findOrMakeNamespace, getNamespace, removeNamespace } from "../vim/namespaces";
import { handOverAnnotation, ownerOf } from "../vim/ownership";

export interface CnfNamespaceInputs extends CommonInputs {
    cnf: string;
    access: ClusterAccess;
    clusterId: string;
    owner: string;
    /** The wanted Namespace. */
    object: KubeObject;
    /** An existing namespace is used as it is and never deleted. Otherwise an existing one is an error. */
    shared: boolean;
    /** How long to wait for a namespace that is being deleted, in seconds. */
    timeoutSeconds: number;
}

export interface CnfNamespaceState extends CnfNamespaceInputs {
    /** Whether we created it. Others are never deleted. */
    made: boolean;
    /** uid of the namespace that we created. Another one with the same name is not ours. */
    uid: string;
}

/**
 * A namespace of a network function. Deleting a namespace deletes everything in it, whoever made it. @pulumi/kubernetes
 * would do that, so we have our own resource: it deletes a namespace only if we created it and nothing in it belongs to
 * others.
 */
export const cnfNamespace: ResourceType<CnfNamespaceInputs, CnfNamespaceState> = {
    check: (_olds, news) => ({ inputs: news }),
    checkInCloud: async (_olds, news, context) => {
        if (news.shared) return { failures: [] };
        const needs = [news.access, news.owner, news.object];
        const look = async () => foreign(await find(news), news);
        return checkCluster({ cnf: news.cnf, whether: "its namespace is free", needs, look }, context);
    },
    diff: (_id, olds, news, context) => {
        const replaces = [
            ...changed(olds, news, ["clusterId"]),
            ...(changed(olds, news, ["object.metadata.name"]).length > 0 ? ["object"] : []),
        ];
        // The next run deletes a former namespace that a killed run did not delete.
        if (replaces.length === 0 && olds.made) notePresent(olds, context);
        const update = changed(olds, news, ["access", "owner", "object", "shared", "cnf", "timeoutSeconds"]);
        return { changes: replaces.length + update.length > 0, replaces };
    },
    create: async (inputs, context) => ({ id: inputs.object.metadata.name, outs: await ensure(inputs, context) }),
    update: async (_id, olds, news, context) => ({ outs: await ensure(news, context, olds) }),
    read: (id, state, context) =>
        lookOrKeep<Observed<CnfNamespaceInputs, CnfNamespaceState>>(
            `namespace ${id}`,
            { id, props: state },
            context,
            async () => {
                const found = await find(state);
                if (found === undefined) return {};
                return { id, props: state.made && !isThatOfOurs(found, state) ? { ...state, made: false } : state };
            },
        ),
    delete: async (_id, state, context) => {
        if (!state.made || isPresent(state, context)) return;
        const { clusterId, cnf, object } = state;
        const deletion: Deletion = {
            clusterId,
            name: cnfName(state),
            mayLive: error => namespaceMayLive(error, state),
            leave: reason =>
                context.warn(
                    `Cnf ${cnf} was given up: its namespace ${object.metadata.name} was not removed: ${reason}`,
                ),
        };
        await unlessGivenUp(deletion, () => remove(state, context));
    },
};

/** The name by which a person gives up a network function; no machine can have it. */
const cnfName = ({ cnf }: CnfNamespaceState) => `cnf:${cnf}`;

/** A cluster that does not answer, or refuses, may still exist. */
function namespaceMayLive(error: NfvError, state: CnfNamespaceState): NfvError {
    const { clusterId, access, cnf, object } = state;
    const { code, reason, output } = error;
    const hint =
        `${error.hint}\nMake ${access.endpoint} answer, or correct the Vim's \`auth\` and run pulumi up, then run the same command again. If this cluster is gone for good, ` +
        `say so by name: ${giveUpVariable}=${clusterId}/${cnfName(state)} pulumi destroy (or up, where that was asked for; other objects: docs/how-it-works.md)`;
    const step = `remove namespace ${object.metadata.name}`;
    return new NfvError({ code, node: `Cnf "${cnf}"`, step, cause: reason, hint, output });
}

function isPresent(former: CnfNamespaceState, context: InSession): boolean {
    const now = inPlaceOf(former, context);
    return now !== undefined && now.uid === former.uid && now.owner === former.owner;
}

const find = (inputs: CnfNamespaceInputs) => getNamespace(apiOf(inputs.access), inputs.object.metadata.name);

function isThatOfOurs(found: KubeObject, { uid, owner }: CnfNamespaceState): boolean {
    return found.metadata.uid === uid && ownerOf(found) === owner;
}

function foreign(found: KubeObject | undefined, { cnf, owner, object }: CnfNamespaceInputs): NfvError | undefined {
    if (found === undefined || ownerOf(found) === owner) return undefined;
    if (found.metadata.annotations?.[handOverAnnotation] === cnf) return undefined;
    const { name } = object.metadata;
    return new NfvError({
        code: "NOT_OURS",
        node: `Cnf "${cnf}"`,
        cause: `Namespace ${name} exists already: ${ownerOf(found) ? `made by ${ownerOf(found)}` : "not made by pulumi-nfv"}`,
        hint:
            "Take it out of the manifests: a namespace that is there is used as it is. " +
            `Or hand it over: kubectl annotate namespace ${name} ${handOverAnnotation}=${cnf}`,
    });
}

async function ensure(
    inputs: CnfNamespaceInputs,
    context: Context,
    before?: CnfNamespaceState,
): Promise<CnfNamespaceState> {
    const { name } = inputs.object.metadata;
    const api = apiOf(inputs.access);
    const found = await settle(inputs.timeoutSeconds, () => findOrMakeNamespace(api, name, inputs.owner));
    const problem = foreign(found, inputs);
    if (problem === undefined) {
        const applied = await settle(rightsWaitSeconds, () =>
            applyNamespace(api, used(inputs.object, found), inputs.owner),
        );
        return notePresent({ ...inputs, made: true, uid: applied.metadata.uid ?? "" }, context);
    }
    if (!inputs.shared) throw problem;
    if (before?.made !== false) {
        context.warn(`namespace ${name} was there before: it is used as it is, and stays when ${inputs.cnf} goes`);
    }
    return { ...inputs, made: false, uid: "" };
}

/** A hand-over is used once: if the annotation stayed, each Cnf of that name in any stack could take the namespace. */
function used(object: KubeObject, found: KubeObject): KubeObject {
    if (!found.metadata.annotations?.[handOverAnnotation]) return object;
    const annotations = { ...object.metadata.annotations, [handOverAnnotation]: "" };
    return { ...object, metadata: { ...object.metadata, annotations } };
}

async function remove(state: CnfNamespaceState, context: Context): Promise<void> {
    const { name } = state.object.metadata;
    const api = apiOf(state.access);
    context.report("look what others have in the namespace");
    const patience = Math.min(rightsWaitSeconds, state.timeoutSeconds);
    const stays = await settle(patience, () => removeNamespace(api, name, state.owner, state.uid));
    if (stays !== "") {
        context.warn(`Cnf ${state.cnf}: ${stays}`);
        return;
    }
    context.report("wait until the namespace is gone");
    await settle(state.timeoutSeconds, async () => {
        if ((await getNamespace(api, name))?.metadata.uid === state.uid) {
            throw new NotYet({ code: "API_UNREACHABLE", cause: `namespace ${name} is still being deleted` });
        }
    });
}
