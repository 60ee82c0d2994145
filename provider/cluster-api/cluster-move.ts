import { NfvError } from "../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../contract/give-up";
import { lookOrKeep } from "../contract/look-or-keep";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown, same, topLevel } from "../contract/values";
import { settle } from "../vim";
import { apiOf, asFailures, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { lookAtBoth, type PlacesOfClusters, whereClustersAre } from "./move/look";
import { moveClusters } from "./move/move-clusters";
import { notedLogin, noteLogin } from "./move/noted-login";
import { nextStage } from "./move/stages";
import type { MoveApi } from "./move/types";

export interface ClusterMoveInputs extends CommonInputs {
    /** Name of the resource, for messages. */
    name: string;
    /** Of the management cluster that had them. Secret. */
    from: ClusterAccess;
    /** Of the one that gets them. Secret. */
    to: ClusterAccess;
    fromId: string;
    toId: string;
    /** Undefined: all. */
    namespaces?: string[];
    /** How long controllers may take to pause, and machines to be finished, in seconds; also on the way back. */
    timeoutSeconds: number;
}

export interface ClusterMoveState extends ClusterMoveInputs {
    /** "namespace/name" of those that have arrived. */
    clusters: string[];
    /** Something is to be moved yet. */
    pending: boolean;
}

/** Tests have clusters in memory. */
export const moveApis = { of: (access: ClusterAccess): MoveApi => apiOf(access) };

const keyOf = ({ fromId, toId }: ClusterMoveInputs) => `${fromId} ${toId}`;

/** Clusters that another management cluster has taken over. Which side has them is looked up each time; deleting this brings them back. */
export const clusterMove: ResourceType<ClusterMoveInputs, ClusterMoveState> = {
    check: (olds, news) => {
        return {
            inputs: news,
            notes: olds.toId === undefined ? [whatMoves(news)] : [],
            failures: asFailures(
                !hasUnknown([news.fromId, news.toId]) && news.fromId === news.toId ? sameCluster(news) : undefined,
            ),
        };
    },
    needsCheckInCloud: (olds, news) => !hasUnknown([news.from, news.to]) && !same(compared(olds), compared(news)),
    checkInCloud: async (_olds, news, context) => {
        try {
            const [from, to] = [moveApis.of(news.from), moveApis.of(news.to)];
            const scope = { returning: false, namespaces: news.namespaces };
            const stage = nextStage(await settle(liveSeconds, () => lookAtBoth(from, to, scope)), scope);
            return { failures: asFailures(stage.name === "refuse" ? stage.error : undefined) };
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.report(`whether they can be moved is asked later: ${error.reason}`);
            return { failures: [] };
        }
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["fromId", "toId"]);
        const others = changed(olds, news, ["from", "to", "namespaces", "timeoutSeconds"]);
        return {
            changes: replaces.length + others.length > 0 || olds.pending,
            replaces: topLevel(replaces),
            deleteBeforeReplace: true,
            ...(olds.pending && { note: "clusters are where they were, or a move has not ended: they are moved" }),
        };
    },
    create: async (inputs, context) => {
        const id = `${inputs.fromId}/${inputs.toId}`;
        return { id, outs: await forward(id, inputs, context) };
    },
    update: async (id, olds, news, context) => {
        await bringLeftOut(olds, news, context);
        return { outs: await forward(id, news, context) };
    },
    read: (id, state, context) =>
        lookOrKeep(state.name, { id, props: state }, context, async () => {
            const { left, arrived, areAskedFor, uid } = await placesOf(state);
            if (left.length > 0) context.warn(`${state.name}: still, or again, where they were: ${left.join(", ")}`);
            const isNoted = !areAskedFor || (await notedLogin(moveApis.of(state.from), uid)) !== undefined;
            return { id, props: { ...state, clusters: arrived, pending: left.length > 0 || !isNoted } };
        }),
    delete: async (_id, state, context) => {
        const deletion: Deletion = {
            clusterId: state.toId,
            name: `moved:${state.name}`,
            mayLive: error => mayLive(error, state),
            leave: reason => context.warn(`${state.name} was given up: its clusters were not brought back: ${reason}`),
        };
        // pulumi up --replace makes the next one first: it keeps them there.
        const isSame = (news: ClusterMoveInputs) => keyOf(news) === keyOf(state);
        const next = runFacts(context).program.find("ClusterMove", isSame)?.news;
        await unlessGivenUp(deletion, () =>
            next === undefined ? backward(state, context) : bringLeftOut(state, next, context),
        );
    },
};

/** What decides whether a look at both sides says something new. */
const compared = ({ fromId, toId, namespaces }: Partial<ClusterMoveInputs>) => ({ fromId, toId, namespaces });

function whatMoves({ fromId, toId, namespaces }: ClusterMoveInputs): string {
    const which =
        hasUnknown(namespaces) || namespaces === undefined
            ? "all clusters"
            : `the clusters of ${namespaces.join(", ")}`;
    const place = (id: string) => (hasUnknown(id) ? "a management cluster" : id);
    return `${which} will move from ${place(fromId)} to ${hasUnknown(toId) ? "one that is made before" : toId}: machines and what runs on them notice nothing`;
}

const sameCluster = ({ name }: ClusterMoveInputs) =>
    new NfvError({
        code: "INVALID_INPUT",
        node: `MovedClusters "${name}"`,
        cause: "from and to are the same cluster",
    });

const namespaceOf = (cluster: string) => cluster.slice(0, cluster.indexOf("/"));

const placesOf = ({ from, to, namespaces }: ClusterMoveInputs): Promise<PlacesOfClusters> =>
    settle(liveSeconds, () => whereClustersAre(moveApis.of(from), moveApis.of(to), namespaces));

/** A refusal has touched nothing. After any other error, the next run goes on, or brings back what has moved. */
async function forward(id: string, inputs: ClusterMoveInputs, context: Context): Promise<ClusterMoveState> {
    const { from, to, namespaces, timeoutSeconds } = inputs;
    let isBegun = false;
    const report = (text: string) => {
        isBegun = true;
        context.report(text);
    };
    const { signal } = context;
    try {
        const move = { from: moveApis.of(from), to: moveApis.of(to), returning: false, namespaces, timeoutSeconds };
        await moveClusters({ ...move, login: to, report, ...(signal && { signal }) });
        const { arrived, areAskedFor, uid } = await placesOf(inputs);
        // It may be another one than when they moved.
        if (areAskedFor) await settle(liveSeconds, () => noteLogin(move.from, uid, to));
        return { ...inputs, clusters: arrived, pending: false };
    } catch (error) {
        if (!isBegun) throw error;
        const properties = { ...inputs, clusters: [], pending: true };
        throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
    }
}

/** Brings back the clusters of namespaces that the program moves no longer. */
async function bringLeftOut(olds: ClusterMoveInputs, news: ClusterMoveInputs, context: Context): Promise<void> {
    const kept = news.namespaces;
    const left = kept && (await placesOf(olds)).arrived.map(namespaceOf).filter(each => !kept.includes(each));
    if (left !== undefined && left.length > 0) await backward({ ...news, namespaces: left }, context);
}

async function backward(inputs: ClusterMoveInputs, { report, signal }: Context): Promise<void> {
    const { from, to, namespaces, timeoutSeconds } = inputs;
    const move = { from: moveApis.of(to), to: moveApis.of(from), returning: true, namespaces, timeoutSeconds };
    await moveClusters({ ...move, report, ...(signal && { signal }) });
}

function mayLive(error: NfvError, { name, toId, from, to }: ClusterMoveState): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `${error.hint}\nOnly Cluster API can remove the servers of these clusters. Make ${to.endpoint} and ${from.endpoint} answer and correct what hinders, then run the same command again. ` +
        `To leave them where they are: ${giveUpVariable}=${toId}/moved:${name} pulumi destroy`;
    return new NfvError({ code, node: `MovedClusters "${name}"`, step, cause: reason, hint, output });
}
