export { eventSchema } from "./event-schema";
export type * from "./events";
export { type OperationName, operationNames } from "./operation-names";
export { isEmpty, type Plan, type PlannedOperation, planOf, type WantedCluster } from "./plan";
export type { Change, PlannedNode } from "./planned-nodes";
export type { PlannedResource } from "./planned-resources";
export { EventReader, toLine } from "./read-events";
export { withoutSecrets } from "./redaction";
