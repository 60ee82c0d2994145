import { NfvError } from "../../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../../contract/give-up";
import { runFacts } from "../../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../../contract/types";
import { changed, hasUnknown, topLevel } from "../../contract/values";
import { type KubeObject, settle } from "../../vim";
import { asFailures, liveSeconds } from "../../vim/check-cluster";
import { type ObjectName, ownerOf } from "../../vim/ownership";
import { clusterPath } from "../look-at-workload";
import type { Seen } from "../workload-seen";
import { foreignObjects, type HeldObjects, type Kind, kindsOf, removeHeld } from "./applied-objects";
import { checkElsewhere, isElsewhere, type Managed, withFirstId } from "./workload-elsewhere";
import { accessNow, refuseIfItManagesItself, workloadApis } from "./workload-place";
import { removeCluster } from "./workload-removal";

export interface WorkloadClaimInputs extends CommonInputs, Managed, Omit<HeldObjects, "objects"> {
    /** All that the rollout will apply. */
    objects: ObjectName[];
    /** How long the cluster may take until it is gone, in seconds. */
    timeoutSeconds: number;
}

export interface WorkloadClaimState extends WorkloadClaimInputs {
    /** Those that objects of it may have or may have had. */
    kinds: Kind[];
}

const keyOf = ({ namespace, clusterName, owner }: WorkloadClaimInputs) => `${owner} ${namespace}/${clusterName}`;

/**
 * The names of the objects of a cluster that can move. It is in the state before the first object is made, so a destroy removes what a killed `up` has
 * begun, wherever that is.
 */
export const workloadClaim: ResourceType<WorkloadClaimInputs, WorkloadClaimState> = {
    check: (olds, news) => ({ inputs: withFirstId(olds, news) }),
    needsCheckInCloud: (olds, news) =>
        !hasUnknown([news.access, news.owner, news.objects]) &&
        (isElsewhere(olds, news) || changed(olds, news, ["owner", "objects"]).length > 0),
    checkInCloud: async (olds, news, context) => {
        if (isElsewhere(olds, news)) return checkElsewhere(olds, news, news.owner);
        try {
            return { failures: asFailures(await foreign(news)) };
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.report(`whether the names are free is asked later: ${error.reason}`);
            return { failures: [] };
        }
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId", "owner", "namespace", "clusterName"]);
        const update = changed(olds, news, ["access", "objects", "name", "knownAs", "timeoutSeconds"]);
        return {
            changes: replaces.length + update.length > 0,
            replaces: topLevel(replaces),
            deleteBeforeReplace: true,
        };
    },
    create: async inputs => {
        const outs = await claimed(inputs, []);
        return { id: `${inputs.namespace}/${inputs.clusterName}`, outs };
    },
    update: async (_id, olds, news) => ({ outs: await claimed(news, olds.kinds) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async (id, state, context) => {
        // pulumi up --replace makes the next one first: it claims the same objects.
        const isSame = (news: WorkloadClaimInputs) => keyOf(news) === keyOf(state);
        if (runFacts(context).program.find("WorkloadClaim", isSame) !== undefined) return;
        const deletion: Deletion = {
            clusterId: state.clusterId,
            name: `workload:${state.clusterName}`,
            mayLive: error => mayLive(error, state),
            leave: reason => context.warn(`objects of workload cluster ${id} were given up: ${reason}`),
        };
        await unlessGivenUp(deletion, () => remove(state, context));
    },
};

async function foreign(inputs: WorkloadClaimInputs): Promise<NfvError | undefined> {
    const access = await accessNow(asHeld(inputs));
    return settle(liveSeconds, () => foreignObjects(workloadApis.of(access), inputs));
}

/** Where its objects are does not depend on what they are. */
const asHeld = ({ objects: _, ...inputs }: WorkloadClaimInputs) => ({
    ...inputs,
    held: { name: inputs.name, owner: inputs.owner, objects: [] as KubeObject[] },
});

async function claimed(inputs: WorkloadClaimInputs, kinds: readonly Kind[]): Promise<WorkloadClaimState> {
    const problem = await foreign(inputs);
    if (problem !== undefined) throw problem;
    return { ...inputs, kinds: kindsOf([...kinds, ...inputs.objects]) };
}

/** The rollout has removed the Cluster, unless the run that made it was killed. */
async function remove(state: WorkloadClaimState, context: Context): Promise<void> {
    const { owner, kinds, namespace } = state;
    const now = { ...asHeld(state), access: await accessNow(asHeld(state)) };
    const api = workloadApis.of(now.access);
    const found = await settle(liveSeconds, () => api.get<Seen & KubeObject>(clusterPath(state)));
    if (found !== undefined && ownerOf(found) === owner) {
        await refuseIfItManagesItself(now);
        await removeCluster(found, now, context);
    }
    await removeHeld(api, owner, { kinds, namespace }, context);
}

function mayLive(error: NfvError, { clusterId, clusterName, access }: WorkloadClaimState): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `${error.hint}\nMake ${access.endpoint} answer, and the management cluster to which it may have moved, then run the same command again. ` +
        `If they are gone for good: ${giveUpVariable}=${clusterId}/workload:${clusterName} pulumi destroy`;
    return new NfvError({ code, node: `workload cluster "${clusterName}"`, step, cause: reason, hint, output });
}
