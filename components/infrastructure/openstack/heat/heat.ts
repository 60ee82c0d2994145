import { onCloud } from "../cloud";
import { ownerOf } from "../server-access";
import { startNodes } from "../start-nodes";
import { heatServers, stackHash } from "./heat-servers";
import { heatStack } from "./heat-stack";
import { templateParts } from "./own-template";

/** Servers of an OpenStack cloud, as one Heat stack. */
export const heat = onCloud({
    start: ({ plan, own }, { publicKey, fingerprintKey }) => ({
        spec: {
            owner: publicKey.apply(ownerOf),
            ...(own && { parts: templateParts(own, fingerprintKey) }),
        },
        inputs: { stackHash: stackHash(heatStack(plan, own?.stack), own, fingerprintKey) },
    }),
    make: (request, { cloudPlan, start }) => {
        const { cloud, settings, stackName, own } = cloudPlan;
        return heatServers({
            ...request,
            cloud: settings,
            stackName,
            timeoutMinutes: cloud.timeoutMinutes ?? 60,
            generations: start.generations,
            retries: start.retries,
            images: start.images,
            flavors: start.flavors,
            prepared: start.stackHash,
            marked: start.marked,
            takenOut: start.takenOut,
            inStack: startNodes(cloudPlan),
            isJoined: cloudPlan.plan.storage !== undefined,
            ...(own && { own }),
        });
    },
});
