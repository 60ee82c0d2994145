export { findProblems, problemText } from "./checks";
export { CloudClient, CloudRefused, openCloud } from "./client";
export { consoleTail, lookAtServer } from "./console";
export { type GivenNames, type GoneName, givenKey, givenNames, goneNames, onlySubnetKey, withIds } from "./given-names";
export { type CloudInventory, type CloudUser, type Former, fetchInventory } from "./inventory";
export { findLeftovers, type Leftover, type LeftoverResult, leftoverText, removeLeftovers } from "./leftovers";
export { getServer } from "./nova";
export * from "./requirements";
export { otherProject, type ProjectAndRegion } from "./same-project";
export { type ServerSight, type ServerVerdict, serverError, verdictOf } from "./server-ready";
export type { CloudSettings } from "./settings";
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
    type StackFailure,
    stackError,
} from "./stack";
