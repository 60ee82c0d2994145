export { findProblems, problemText } from "./checks";
export { CloudClient, CloudRefused, openCloud } from "./client";
export { consoleTail, lookAtServer } from "./console";
export { type CloudFacts, type CloudUser, type Former, fetchFacts } from "./facts";
export { type GivenNames, type GoneName, givenKey, givenNames, goneNames, onlySubnetKey, withIds } from "./given-names";
export { findLeftovers, type Leftover, type LeftoverResult, leftoverText, removeLeftovers } from "./leftovers";
export * from "./needs";
export { getServer } from "./nova";
export { otherProject, type ProjectAndRegion } from "./same-project";
export { type ServerSight, type ServerVerdict, serverError, verdictOf } from "./server-ready";
export type { CloudSettings } from "./settings";
export {
    deleteStack,
    failuresOf,
    type LiveStack,
    liveStack,
    markHealthy,
    markUnhealthy,
    resourcesOf,
    type StackFailure,
    settledStack,
    stackError,
} from "./stack";
