export { findProblems, problemText } from "./checks";
export { CloudClient, CloudRefused, openCloud } from "./client";
export { lookAtServer } from "./console";
export { type GivenNames, type GoneName, givenNames, goneNames, withIds } from "./given-names";
export { type CloudUser, type Former, fetchInventory } from "./inventory";
export { leftoverText, removeLeftovers } from "./leftovers";
export { getServer } from "./nova";
export * from "./requirements";
export { otherProject, type ProjectAndRegion } from "./same-project";
export { type ServerSight, serverError, verdictOf } from "./server-ready";
export {
    deleteStack,
    failuresOf,
    finishedStack,
    isSettled,
    isUnfinished,
    type LiveStack,
    liveStack,
    markHealthy,
    markUnhealthy,
    resourcesOf,
    stackError,
} from "./stack";
