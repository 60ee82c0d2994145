import { onCloud } from "../cloud";
import { ownerOf } from "../server-access";
import { heatServers, stackHash } from "./heat-servers";

/** Servers of an OpenStack cloud, as one Heat stack. */
export const heat = onCloud("heat", {
    start: ({ plan, own }, publicKey) => ({
        spec: { owner: publicKey.apply(ownerOf) },
        inputs: { stackHash: stackHash(plan, own?.stack) },
    }),
    make: (request, { cloud, settings, stackName, own }, start) =>
        heatServers({
            ...request,
            cloud: settings,
            stackName,
            timeoutMinutes: cloud.timeoutMinutes ?? 60,
            generations: start.generations,
            images: start.images,
            flavors: start.flavors,
            prepared: start.stackHash,
            ...(own && { own: own.stack, ownParameters: own.parameters }),
        }),
});
