import { leaveCluster } from "../kubeadm/leave";
import type { HostSpec } from "../model";
import { hostSteps } from "../node/host-steps";
import { resetHost } from "../node/reset-host";
import type { SshTarget } from "../ssh";
import { forgetNode, plan, stale } from "../steps";
import { waitForServer } from "./first-contact";
import { journalToUndo, observeMachine } from "./journal";
import {
    connectTo,
    forgetMachine,
    type MachineState,
    machineRules,
    named,
    operate,
    type ServerInputs,
    type StepInputs,
    serverChanged,
    withoutHostKey,
} from "./machine";
import { isGone } from "./server";
import type { Context, ResourceType } from "./types";
import { refuseUpgradeOfMember } from "./upgrade";
import { changed, failuresOf, hasUnknown, same, topLevel } from "./values";

export interface HostInputs extends StepInputs, ServerInputs {
    spec: HostSpec;
    connection: SshTarget;
}

export interface HostState extends HostInputs, MachineState {}

/** A machine with another of these is another host. */
const identity = ["spec.clusterId", "spec.name", "spec.role"];

/** A machine made ready to become a node: needs no other machine. */
export const host: ResourceType<HostInputs, HostState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, machineRules),
    }),
    diff: (_id, olds, news) => {
        const replaces = [...changed(olds, news, identity), ...(serverChanged(olds, news) ? ["serverId"] : [])];
        const update = !upToDate(olds, news) || !same(withoutHostKey(olds.connection), withoutHostKey(news.connection));
        return {
            changes: replaces.length > 0 || update,
            replaces: topLevel(replaces),
            deleteBeforeReplace: true,
        };
    },
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}`;
        return { id, outs: await bring(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await bring(id, news, olds, context) }),
    read: (id, state, context) =>
        observeMachine<HostInputs, HostState>(
            id,
            state,
            context,
            planOf(state).map(step => step.id),
        ),
    delete: async (_id, state, context) => {
        const { clusterId, name, address, role } = state.spec;
        if (await isGone(state)) return forgetMachine(state.connection);
        const connection = connectTo(state.connection, state.hostKey);
        const journal = await journalToUndo(connection, clusterId, name, context);
        if (journal === "nothing") return;
        // A node that was not asked to leave because the whole cluster goes.
        const spec = { name, address, role, drain: { timeoutSeconds: 0, policy: "fail" } };
        await leaveCluster({ spec, node: connection, report: context.report, signal: context.signal });
        await resetHost({ spec: state.spec, connection, report: context.report, signal: context.signal });
        await forgetNode(connection);
    },
};

function upToDate(olds: HostState, news: HostInputs): boolean {
    if (!same(olds.steps, news.steps)) {
        return false;
    }
    return hasUnknown([news.spec, news.fingerprintKey]) || stale(planOf(news), olds.done).length === 0;
}

function planOf(inputs: HostInputs) {
    return plan(hostSteps, inputs.spec, inputs.fingerprintKey);
}

async function bring(id: string, inputs: HostInputs, olds: HostState | undefined, context: Context) {
    const { clusterId, name } = inputs.spec;
    if (olds === undefined && inputs.server !== undefined) await forgetMachine(inputs.connection);
    const moved = olds !== undefined && olds.connection.host !== inputs.connection.host;
    const connection = connectTo(inputs.connection, moved ? undefined : olds?.hostKey);
    // Never reached before: it may be booting.
    if (Object.keys(olds?.done ?? {}).length === 0) {
        await waitForServer({ ...inputs, node: name, connection, context });
    }
    if (olds !== undefined) await named(name, () => refuseUpgradeOfMember(olds, inputs, connection));
    const reached = await operate({
        id,
        node: name,
        clusterId,
        steps: planOf(inputs),
        connection,
        done: olds?.done ?? {},
        inputs,
        exists: olds !== undefined,
        context,
    });
    return { ...inputs, ...reached };
}
