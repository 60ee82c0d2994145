import { refuseUnderFunctions } from "../cnf/functions-of-others";
import { earliest, isRenewalDue } from "../common/expiry";
import { runFacts } from "../contract/run-facts";
import type { Context, ResourceType } from "../contract/types";
import { changed } from "../contract/values";
import { placeOf } from "../endpoint/endpoint-change";
import { endpointTitle } from "../member/disrupts";
import { refuseWhereNodesWait } from "../member/joins-later";
import { observeCoreDns, observeNodes, spreadCoreDnsScript, waitForNodesScript } from "../network/scripts";
import { type ClusterWideState, clusterWide } from "../objects/cluster-wide";
import { mayHaveMoved } from "../operation/wishes";
import { isMoving, moveEndpoint } from "../procedures/endpoint/endpoint-move";
import { endpointReachedScript, observeEndpoint } from "../procedures/endpoint/move-endpoint";
import { type Fingerprints, plan, type StepFactory } from "../steps";
import { isStale } from "../steps/plan";
import { whyServerStays } from "../storage/storage-leaves";
import { asFailures } from "../vim/check-cluster";
import { tellOfAddOns } from "./add-ons-look";
import { warnOfDeadMembers } from "./dead-members";
import { certificatesOf, type NodeExpiries } from "./expiry-of-nodes";
import { hasDueHooks, leftBefore, withEndHooks } from "./hooks/end-hooks";
import { runTerminateHooks } from "./hooks/terminate-hooks";
import type { OperationEndInputs, OperationEndSpec, OperationEndState } from "./operation-end-inputs";

const defaultTimeoutSeconds = 300;

const waitForNodes: StepFactory<OperationEndSpec> = ({
    clusterId,
    nodes,
    servers,
    nodeIds,
    waitForNodes: wait,
    timeoutSeconds,
}) =>
    wait === false
        ? undefined
        : {
              id: "cluster.nodes-ready",
              title: "wait for the nodes",
              revision: 1,
              env: {
                  NODES: Object.keys(nodes).sort().join("\n"),
                  SECONDS_TO_WAIT: String(timeoutSeconds ?? defaultTimeoutSeconds),
              },
              declaredState: { clusterId, nodes, nodeIds, ...(servers && { servers }) },
              run: waitForNodesScript,
              observe: observeNodes,
              timeoutSeconds: (timeoutSeconds ?? defaultTimeoutSeconds) + 60,
          };

const spreadCoreDns: StepFactory<OperationEndSpec> = ({ clusterId, nodes, waitForNodes: wait, timeoutSeconds }) =>
    wait === false
        ? undefined
        : {
              id: "cluster.coredns",
              title: "spread CoreDNS over the nodes",
              revision: 1,
              env: { SECONDS_TO_WAIT: String(timeoutSeconds ?? defaultTimeoutSeconds) },
              declaredState: { clusterId, nodes: Object.keys(nodes).sort() },
              run: spreadCoreDnsScript,
              observe: observeCoreDns,
              timeoutSeconds: 2 * (timeoutSeconds ?? defaultTimeoutSeconds) + 60,
          };

/**
 * Before this step, `moveEndpoint` has changed the nodes. The step checks the endpoint in the cluster's configuration
 * and records it.
 */
const reachEndpoint: StepFactory<OperationEndSpec> = ({ clusterId, endpoint }) =>
    endpoint && {
        id: endpointStep,
        title: endpointTitle,
        revision: 1,
        env: { PLACE: placeOf(endpoint) },
        declaredState: { clusterId, place: placeOf(endpoint) },
        run: endpointReachedScript,
        observe: observeEndpoint,
        timeoutSeconds: 60,
    };

const endpointStep = "cluster.endpoint";

export const operationEndSteps: StepFactory<OperationEndSpec>[] = [reachEndpoint, waitForNodes, spreadCoreDns];

const bracket = clusterWide({ type: "operation-end", factories: operationEndSteps });

/** Reads the certificates of all nodes; an error here does not fail the operation. */
async function withFindings(
    outs: OperationEndInputs & ClusterWideState<OperationEndSpec>,
    before: NodeExpiries,
    context: Context,
    inRefresh = false,
): Promise<OperationEndState> {
    await warnOfDeadMembers(outs.spec.clusterId, outs.controlPlane, context);
    // A run that ends has proven it already.
    if (inRefresh && outs.spec.waitForNodes !== false)
        await tellOfAddOns(outs.spec.clusterId, outs.controlPlane, context);
    context.report("look when the certificates end");
    const nodes = [...outs.controlPlane, ...(outs.workers ?? [])];
    const certificates = await certificatesOf(nodes, before, context, inRefresh);
    return { ...outs, certificates, earliestExpiry: earliest(Object.values(certificates)) };
}

/** What concerns the whole cluster once all nodes exist. */
export const operationEnd: ResourceType<OperationEndInputs, OperationEndState> = {
    ...bracket,
    needsCheckInCloud: (olds, news) => olds.served !== undefined && news.served === undefined,
    checkInCloud: async (olds, news) => ({
        failures: asFailures(await whyServerStays(olds, news, olds.spec?.clusterId ?? "")),
    }),
    diff: (id, olds, news) => {
        const { changes, ...others } = bracket.diff(id, olds, news);
        return {
            ...others,
            changes:
                changes ||
                changed(olds, news, ["workers", "served", "hooks", "renewBeforeDays"]).length > 0 ||
                mayHaveMoved(olds, news) ||
                isRenewalDue(olds.earliestExpiry, news.renewBeforeDays) ||
                hasDueHooks(olds, news),
        };
    },
    create: async (inputs, context) => {
        refuseWhereNodesWait(inputs.spec.clusterId, context);
        await bringToEndpoint(inputs, {}, context);
        const { id, outs } = await bracket.create(inputs, context);
        const found = await withFindings(outs, {}, context);
        return { id, outs: await withEndHooks(id, found, leftBefore(inputs.spec.clusterId, context), context) };
    },
    update: async (id, olds, news, context) => {
        refuseWhereNodesWait(news.spec.clusterId, context);
        await bringToEndpoint(news, mayHaveMoved(olds, news) ? {} : olds.done, context);
        const { outs } = await keepingHooks(olds, () => bracket.update(id, olds, news, context));
        const found = await withFindings(outs, olds.certificates ?? {}, context);
        return { outs: await withEndHooks(id, found, olds, context) };
    },
    read: async (id, state, context) => {
        const { props } = await bracket.read(id, state, context);
        const seen = await withFindings(props ?? state, state.certificates ?? {}, context, true);
        const { [endpointStep]: reached, ...others } = seen.done;
        const left = reached !== undefined && (await isMoving(context, state.controlPlane)) === true;
        return { id, props: left ? { ...seen, done: others } : seen };
    },
    // A destroy begins here. No machine is contacted, so that a dead one cannot delay it. Records on control-plane
    // nodes go with the cluster.
    delete: async (_id, state, context) => {
        const { spec, access, resourceUrn } = state;
        const { program, did } = runFacts(context);
        // Replaced by name, or with a node, after which it is made again: the cluster goes on.
        if (program.has(resourceUrn) || program.ofCluster("OperationStart", spec.clusterId) !== undefined) return;
        if (access !== undefined) await refuseUnderFunctions({ clusterId: spec.clusterId, access }, context);
        context.note(`operation: terminate (${Object.keys(spec.nodes).join(", ")})`);
        await runTerminateHooks(state, context);
        did.beganToEnd.add(spec.clusterId);
    },
};

/** A failure before the hooks must not lose which of them have run. */
async function keepingHooks<T>({ endedUpTo, endedHooks }: OperationEndState, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        const partial = error as { properties?: object };
        if (partial.properties !== undefined) partial.properties = { ...partial.properties, endedUpTo, endedHooks };
        throw error;
    }
}

/** Runs only if it is not recorded as done: later nodes have joined through the current endpoint. */
async function bringToEndpoint(inputs: OperationEndInputs, done: Fingerprints, context: Context): Promise<void> {
    const { spec, controlPlane, workers = [], fingerprintKey } = inputs;
    const { clusterId, endpoint } = spec;
    const step = plan(operationEndSteps, spec, fingerprintKey).find(({ id }) => id === endpointStep);
    if (endpoint === undefined || step === undefined || !isStale(step, done)) return;
    await moveEndpoint({ clusterId, endpoint, controlPlane, workers }, context);
}
