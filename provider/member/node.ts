import { randomBytes } from "node:crypto";
import { atMost } from "../contract/at-most";
import type { ResourceType } from "../contract/types";
import { failuresOf } from "../contract/values";
import { machineRules } from "../machine/machine";
import { isHealed } from "../operation/heals";
import { isHeldElsewhere } from "./held-elsewhere";
import { leaveByNode } from "./leave/leave-by-node";
import { beginLeave } from "./left-out-node";
import { differenceOf } from "./node-difference";
import type { NodeInputs, NodeState } from "./node-state";
import { readNode } from "./read-node";
import { reconcile } from "./reconcile";
import { afterAnotherLeaves } from "./rolling";
import { needsLookAtServer, sayReplacement } from "./upgrade/server-replacement";
import { lookBeforeUpgrade, needsLookBeforeUpgrade, upgradeNotes } from "./upgrade/upgrade-preview";

/** Membership of one machine in a cluster: init or join, version, labels and taints, leaving. */
export const node: ResourceType<NodeInputs, NodeState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: failuresOf(news, {
            ...machineRules,
            controlPlane: value => (Array.isArray(value) && value.length > 0 ? undefined : "must name the masters"),
        }),
        notes: news.upgradeTurn?.holds || isHealed(olds, news) ? [] : upgradeNotes(olds, news),
    }),
    needsCheckInCloud: (olds, news) => needsLookBeforeUpgrade(olds, news) || needsLookAtServer(news),
    checkInCloud: async (olds, news, context) => {
        if (needsLookAtServer(news)) await sayReplacement(news, context);
        return { failures: needsLookBeforeUpgrade(olds, news) ? await lookBeforeUpgrade(olds, news, context) : [] };
    },
    diff: (_id, olds, wanted) => differenceOf(olds, wanted),
    create: async (inputs, context) => {
        // A new id for each creation, so that OperationEnd notices that a node was replaced.
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/${randomBytes(4).toString("hex")}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: readNode,
    delete: async (_id, state, context) => {
        const { clusterId, name, role } = state.spec;
        if (isHeldElsewhere("Node", state, context)) return;
        beginLeave(state.spec, context);
        if (role !== "controlPlane") return leaveByNode(state, context);
        // The engine deletes replaced nodes in parallel, but each must see etcd without the one before.
        return atMost(1, context, `masters of ${clusterId}`, () => leaveByNode(state, context), {
            waiting: () => context.report(`${name} waits until another master has left`),
            afterFailure: afterAnotherLeaves(name),
            signal: context.signal,
        });
    },
};
