import { isGivenUp } from "../contract/give-up";
import type { ResourceType } from "../contract/types";
import { failuresOf } from "../contract/values";
import { forgetMachine, machineRules } from "../machine/machine";
import type { SshTarget } from "../ssh";
import { credentialProblem } from "../ssh/credentials";
import { differenceOf } from "./host-difference";
import type { HostInputs, HostState } from "./host-state";
import { getsOtherVersion, isMoved, refuseNewMachine, refuseOtherVersion } from "./other-machine";
import { readHost } from "./read-host";
import { reconcile } from "./reconcile-host";
import { removeHost } from "./remove-host";

/** A machine that is prepared to become a node. Needs no other machine. */
export const host: ResourceType<HostInputs, HostState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, {
            ...machineRules,
            connection: login => (login ? credentialProblem(login as SshTarget) : undefined),
        }),
    }),
    needsCheckInCloud: (olds, news) => isMoved(olds, news) || getsOtherVersion(olds, news),
    checkInCloud: async (olds, news, context) => ({
        failures: isMoved(olds, news)
            ? await refuseNewMachine(news, context)
            : await refuseOtherVersion(olds, news, context),
    }),
    diff: (_id, olds, news) => differenceOf(olds, news),
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: readHost,
    delete: async (_id, state, context) => {
        await removeHost(state, context);
        // One that was given up may be another machine when it is made again, with another host key.
        if (isGivenUp(state.spec.clusterId, state.spec.name)) await forgetMachine(context, state.connection);
    },
};
