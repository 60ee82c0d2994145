import type { ResourceType } from "../contract/types";
import { changed, failuresOf, hasUnknown, text } from "../contract/values";
import { whyNotNew } from "../etcd/departed-control-plane";
import { forcedInput, forceIfAsked, isAsked, whyNotForced } from "../etcd/new-cluster";
import { type MastersInputs, mastersIn, withoutLogin } from "../machine/program-masters";
import { asFailures } from "../vim/check-cluster";
import { lookAtNewMachines, type NewMachines } from "./new-machines-look";

/**
 * Records how the control-plane nodes of this program and of former ones are reached. All machines wait for its check: a master asks
 * those that the program no longer has before it begins a cluster, and a machine that goes leaves through those that stay.
 */
export const masters: ResourceType<MastersInputs, MastersInputs> = {
    check: (olds, given) => {
        const { recorded: _, toLookAt: __, ...news } = given;
        const { clusterId } = news;
        const failures = failuresOf(news, { clusterId: text, peers: text });
        const formers = mastersIn({ olds, news: given })?.former.map(withoutLogin) ?? olds.formers ?? [];
        const kept = formers.length > 0 && { formers };
        return { inputs: { ...news, ...kept, ...forcedInput(clusterId) }, failures };
    },
    needsCheckInCloud: (_olds, { clusterId, peers, ontoNew, toLookAt }) =>
        toLookAt !== undefined || ((isAsked() || ontoNew !== undefined) && !hasUnknown([clusterId, peers])),
    // Before any machine of the cluster is touched.
    checkInCloud: async (olds, { clusterId, peers, ontoNew: word, recorded, toLookAt }, context) => {
        const isKnown = !hasUnknown([clusterId, peers]);
        return {
            failures: [
                ...(isKnown && isAsked() ? await whyNotForced(clusterId, context) : []),
                ...(isKnown && word !== undefined
                    ? asFailures(await whyNotNew(clusterId, { word, begun: olds.ontoNew === word }, context))
                    : []),
                ...(toLookAt === undefined
                    ? []
                    : asFailures(
                          await lookAtNewMachines(newMachines(olds, { clusterId, recorded, toLookAt }), context),
                      )),
            ],
        };
    },
    // Formers come only when the peers change. When they go, the engine stores the new inputs without an update, too.
    // Neither is it a change that this run does not force what a former one did.
    diff: (_id, olds, news) => ({
        changes:
            changed(olds, news, ["clusterId", "peers", "ontoNew"]).length > 0 || news.forceNewCluster !== undefined,
    }),
    create: async (inputs, context) => {
        await forceIfAsked(inputs.clusterId, context);
        return { id: `${inputs.clusterId}/masters`, outs: withoutForce(inputs) };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news, context) => {
        await forceIfAsked(news.clusterId, context);
        return { outs: withoutForce(news) };
    },
    delete: async () => {},
};

/** Where the id is not known at a preview, the state may have it. */
function newMachines(
    olds: Partial<MastersInputs>,
    { clusterId: given, recorded, toLookAt = {} }: Pick<MastersInputs, "clusterId" | "recorded" | "toLookAt">,
): NewMachines {
    const clusterId = hasUnknown(given) ? olds.clusterId : given;
    return {
        ...(clusterId !== undefined && { clusterId }),
        machines: toLookAt,
        isRecorded: name => recorded?.includes(`${clusterId}/${name}`) ?? olds.peers !== undefined,
    };
}

/** It was done once: the state does not have it. */
function withoutForce({ forceNewCluster: _, ...others }: MastersInputs): MastersInputs {
    return others;
}
