import { onCloud } from "../cloud";
import { shapeHashes } from "../resources/unchecked-changes";
import { novaServers } from "./nova-servers";

/** Servers of an OpenStack cloud, made one by one. */
export const nova = onCloud("nova", {
    start: ({ plan }, { fingerprintKey }) => ({ spec: {}, inputs: { shapes: shapeHashes(plan, fingerprintKey) } }),
    make: (request, { context }) => novaServers(request, context()),
});
