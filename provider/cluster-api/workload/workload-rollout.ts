import { NfvError } from "../../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../../contract/give-up";
import { lookOrKeep } from "../../contract/look-or-keep";
import { runFacts } from "../../contract/run-facts";
import type { CheckFailure, CommonInputs, Context, Observed, ResourceType } from "../../contract/types";
import { changed, hasUnknown, same, topLevel } from "../../contract/values";
import { versionRefusal } from "../../kubernetes/support";
import { type KubeApi, settle } from "../../vim";
import { asFailures, type ClusterAccess, liveSeconds } from "../../vim/check-cluster";
import { identityUsers } from "../identity-users";
import { clusterPath, lookAtWorkload, machinesOfWorkload, readWorkloadAccess } from "../look-at-workload";
import { identityOf } from "../move/movable";
import type { WorkloadAccess } from "../workload-kubeconfig";
import { isControlPlane, machinesOf, type WorkloadMachine } from "../workload-machines";
import type { Seen, WorkloadSeen } from "../workload-seen";
import { workloadState } from "../workload-state";
import { applyHeld, type HeldObjects, kindsOf, nameOf, removeLeftOut } from "./applied-objects";
import { checkElsewhere, isElsewhere, withFirstId } from "./workload-elsewhere";
import { type FixedFields, refusedByWebhooks } from "./workload-fixed";
import { holdsOtherwise } from "./workload-held-otherwise";
import { breaksMachines, type KeptByMachines } from "./workload-kept";
import { asNow, refuseIfItManagesItself, workloadApis } from "./workload-place";
import { removeCluster } from "./workload-removal";
import { type Role, whatRolls } from "./workload-roles";
import { versionProblem } from "./workload-versions";
import { watchWorkload } from "./workload-watch";

export interface WorkloadRolloutInputs extends CommonInputs {
    /** Of the management cluster. Secret. */
    access: ClusterAccess;
    /** Id of the management cluster. */
    clusterId: string;
    /** Set by check: see Managed. */
    knownAs?: string;
    namespace: string;
    clusterName: string;
    /** What the machines are made of, by role: "control-plane", or the pool's name. */
    roles: Record<string, Role>;
    /** A hash of all objects: after any change the cluster is awaited again. */
    objectsHash: string;
    paused: boolean;
    /** See VersionQuestion. */
    allowUnsupportedVersion?: boolean;
    kept: KeptByMachines;
    /** What CAPO's webhooks keep. */
    fixed?: FixedFields;
    /** Name of an OpenStackClusterIdentity that goes with the cluster. */
    ownIdentity?: string;
    /** Its objects, if they can move: this resource applies them, wherever they are. Secret. */
    held?: HeldObjects;
    /** How long it may take until all machines are ready, and until the cluster is gone, in seconds. */
    timeoutSeconds: number;
}

export interface WorkloadRolloutState extends WorkloadRolloutInputs, WorkloadAccess {
    /** Of the Cluster object: another one of that name is not ours. */
    uid: string;
    machines: WorkloadMachine[];
}

/** With other ones it is another cluster. The key of one that can move is its owner: the program may give another management cluster after a move. */
const keyOf = ({ clusterId, namespace, clusterName, held }: WorkloadRolloutInputs) =>
    `${held?.owner ?? clusterId} ${namespace}/${clusterName}`;

/**
 * The life of a workload cluster: waits until Cluster API has made what its objects say, reads the access, and removes the cluster before anything
 * that its removal needs, such as the login to the cloud.
 */
export const workloadRollout: ResourceType<WorkloadRolloutInputs, WorkloadRolloutState> = {
    check: (olds, news) => ({
        inputs: news.held === undefined ? news : withFirstId(olds, news),
        failures: [...asFailures(holdsOtherwise(olds, news)), ...refusedVersion(olds, news)],
        notes: hasUnknown(news.roles) ? [] : whatRolls(news.clusterName, olds.roles, news.roles),
    }),
    needsCheckInCloud: (olds, news) =>
        (news.held !== undefined && isElsewhere(olds, news)) ||
        (!hasUnknown([news.kept, news.access, news.clusterId]) &&
            changed(olds, news, identifying).length === 0 &&
            (isChangedElsewhere(olds, news) ||
                breaksMachines(news.clusterName, olds.kept, news.kept) !== undefined ||
                refusedByWebhooks(news.clusterName, olds.fixed, ifKnown(news.fixed)) !== undefined ||
                !same(versionOf(olds), versionOf(news)))),
    checkInCloud: async (olds, news, context) => {
        const { held } = news;
        if (held !== undefined && isElsewhere(olds, news)) return checkElsewhere(olds, news, held.owner);
        const place = asNow(news);
        // Undefined: a cluster that does not answer may be there, and may have machines.
        const ask = <T>(question: (api: KubeApi) => Promise<T>) =>
            place
                .then(({ access }) => settle(liveSeconds, () => question(workloadApis.of(access))))
                .catch(() => undefined);
        const [found, machines] = await Promise.all([
            ask(async api => ({ cluster: await api.metadata(clusterPath(news)) })),
            ask(api => machinesOfWorkload(api, news)),
        ]);
        const isGone = found !== undefined && found.cluster === undefined;
        const versions = (machines ?? []).filter(isControlPlane).map(({ spec }) => spec?.version ?? "");
        const problems = [
            machines?.length === 0 ? undefined : breaksMachines(news.clusterName, olds.kept, news.kept),
            isGone ? undefined : refusedByWebhooks(news.clusterName, olds.fixed, ifKnown(news.fixed)),
            versionProblem(news.clusterName, versions, versionOf(news)),
        ];
        const { access } = await place.catch(() => news);
        if (access !== news.access)
            context.note(`${news.clusterName}: ${access.endpoint} manages it since its move, so it is changed there`);
        return { failures: problems.flatMap(asFailures) };
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, identifying);
        const update = changed(olds, news, [
            "access",
            "roles",
            "objectsHash",
            "paused",
            "ownIdentity",
            "held",
            "knownAs",
            "timeoutSeconds",
        ]);
        return {
            changes: replaces.length + update.length > 0,
            replaces: topLevel(replaces),
            deleteBeforeReplace: true,
        };
    },
    create: async (inputs, context) => {
        const id = `${inputs.namespace}/${inputs.clusterName}`;
        const made = await orPending(inputs, id, context);
        return { id, outs: made };
    },
    update: async (id, olds, news, context) => ({ outs: await orPending(news, id, context, olds) }),
    read: (id, state, context) =>
        lookOrKeep<Observed<WorkloadRolloutInputs, WorkloadRolloutState>>(
            `workload cluster ${id}`,
            { id, props: state },
            context,
            async () => {
                const now = await asNow(state, state);
                const seen = await settle(liveSeconds, () => lookAtWorkload(workloadApis.of(now.access), now));
                if (seen.cluster === undefined || identityOf(seen.cluster) !== state.uid) return {};
                const { ready, text } = workloadState(seen);
                if (!ready && !state.paused) context.warn(`${state.clusterName}: ${text}`);
                return { id, props: { ...state, ...(await accessIn(now)), machines: machinesOf(seen) } };
            },
        ),
    delete: async (id, state, context) => {
        // pulumi up --replace makes the next one first: it has found the same cluster.
        const isSame = (news: WorkloadRolloutInputs) => keyOf(news) === keyOf(state);
        if (runFacts(context).program.find("WorkloadRollout", isSame) !== undefined) return;
        const deletion: Deletion = {
            clusterId: state.clusterId,
            name: `workload:${state.clusterName}`,
            mayLive: error => mayLive(error, state),
            leave: reason =>
                context.warn(
                    `workload cluster ${id} was given up: its servers, ports and volumes may still be in the cloud: ${reason}`,
                ),
        };
        await unlessGivenUp(deletion, async () => remove(await asNow(state, state), context));
    },
};

/** A version that is not known yet is looked at when it is. */
function refusedVersion(olds: Partial<WorkloadRolloutInputs>, news: WorkloadRolloutInputs): CheckFailure[] {
    const to = versionOf(news);
    if (to === "" || (olds.roles !== undefined && versionOf(olds) === "")) return [];
    const from = olds.roles === undefined ? {} : { from: versionOf(olds) };
    const reason = versionRefusal({ ...from, to, allowed: news.allowUnsupportedVersion }, new Date());
    return reason === undefined ? [] : [{ property: "", reason: `workload cluster "${news.clusterName}": ${reason}` }];
}

const ifKnown = <T>(value: T): T | undefined => (hasUnknown(value) ? undefined : value);
const versionOf = ({ roles }: Partial<WorkloadRolloutInputs>) => ifKnown(roles)?.["control-plane"]?.version ?? "";

/** Where it is managed is worth a note if something changes. */
const isChangedElsewhere = (olds: Partial<WorkloadRolloutInputs>, { held, objectsHash }: WorkloadRolloutInputs) =>
    held !== undefined && olds.objectsHash !== undefined && olds.objectsHash !== objectsHash;

/** With another one it is another cluster. */
const identifying = ["clusterId", "namespace", "clusterName"];

/** After an error the state has the uid of the Cluster that may be there, so that a destroy removes it. */
async function orPending(
    inputs: WorkloadRolloutInputs,
    id: string,
    context: Context,
    former?: WorkloadRolloutState,
): Promise<WorkloadRolloutState> {
    try {
        return await reached(inputs, context, former);
    } catch (error) {
        const uid = await asNow(inputs, former)
            .then(({ access }) => workloadApis.of(access).metadata(clusterPath(inputs)))
            .then(
                found => found && identityOf(found),
                () => undefined,
            );
        if (uid === undefined) throw error;
        // Without a hash the next run sees a change, and waits again.
        const machines = former?.uid === uid ? former.machines : [];
        const properties = { ...inputs, objectsHash: "", uid, machines, ...knownAccess(uid, former) };
        throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
    }
}

const noAccess: WorkloadAccess = { endpoint: "", caCertificate: "", clientCertificate: "", clientKey: "" };

/** Of the same cluster: it stays right while a run fails, or Cluster API makes its Secret again. */
function knownAccess(uid: string, former?: WorkloadRolloutState): WorkloadAccess {
    if (former === undefined || former.uid !== uid) return noAccess;
    const { endpoint, caCertificate, clientCertificate, clientKey } = former;
    return { endpoint, caCertificate, clientCertificate, clientKey };
}

async function reached(
    inputs: WorkloadRolloutInputs,
    context: Context,
    former?: WorkloadRolloutState,
): Promise<WorkloadRolloutState> {
    const now = await asNow(inputs, former);
    const api = workloadApis.of(now.access);
    const { held, namespace } = now;
    if (held !== undefined) await applyHeld(api, held, now, context);
    const seen = now.paused ? await lookAtWorkload(api, now) : await untilReady(now, context);
    if (held !== undefined) {
        const kinds = kindsOf([...(former?.held?.objects ?? []), ...held.objects]);
        const { owner, objects } = held;
        await removeLeftOut(api, { owner, objects: objects.map(nameOf) }, { kinds, namespace }, context);
    }
    const uid = (seen.cluster && identityOf(seen.cluster)) ?? "";
    const access = (await accessIn(now)) ?? knownAccess(uid, former);
    return { ...inputs, ...access, uid, machines: machinesOf(seen) };
}

function accessIn({ access, ...name }: WorkloadRolloutInputs): Promise<WorkloadAccess | undefined> {
    return settle(liveSeconds, () => readWorkloadAccess(workloadApis.of(access), name));
}

function untilReady(inputs: WorkloadRolloutInputs, context: Context): Promise<WorkloadSeen> {
    return watchWorkload(inputs, context, "wait for its machines", seen => {
        const { ready, text } = workloadState(seen);
        return { done: ready, text };
    });
}

async function remove(state: WorkloadRolloutState, context: Context): Promise<void> {
    const api = workloadApis.of(state.access);
    await refuseWhileUsed(state, api);
    const found = await settle(liveSeconds, () => api.get<Seen>(clusterPath(state)));
    // Another Cluster of that name was made by somebody else.
    if (found === undefined || (state.uid !== "" && identityOf(found) !== state.uid)) return;
    if (state.held !== undefined) await refuseIfItManagesItself(state);
    await removeCluster(found, state, context);
}

/** @throws CLUSTER_IN_USE with the other clusters that use the identity */
async function refuseWhileUsed({ ownIdentity, ...own }: WorkloadRolloutState, api: KubeApi): Promise<void> {
    if (ownIdentity === undefined) return;
    const users = await settle(liveSeconds, () => identityUsers(api, ownIdentity, own));
    if (users.length === 0) return;
    throw new NfvError({
        code: "CLUSTER_IN_USE",
        cause: `the OpenStackClusterIdentity "${ownIdentity}" goes with this cluster, and these use it: ${users.join(", ")}`,
        hint: "Destroy those clusters first, or give them another identity.",
    });
}

function mayLive(error: NfvError, { clusterId, clusterName, access }: WorkloadRolloutState): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `${error.hint}\nOnly Cluster API can remove its servers, ports, volumes and addresses from the cloud. Make ${access.endpoint} answer and correct what hinders, then run the same command again. ` +
        `If the management cluster is gone for good, remove them from the cloud by hand and say so by name: ${giveUpVariable}=${clusterId}/workload:${clusterName} pulumi destroy`;
    return new NfvError({ code, node: `workload cluster "${clusterName}"`, step, cause: reason, hint, output });
}
