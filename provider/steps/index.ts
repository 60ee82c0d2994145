export { callAgent, forgetNode, forgetStep } from "./call-agent";
export { type Clock, realClock } from "./clock";
export { canonicalJson, fingerprint } from "./fingerprint";
export { plan, planOnTheWay, stale, stepTitles } from "./plan";
export type { NodeConnection } from "./run-context";
export { type ActContext, runAct, runSteps } from "./runner";
export { StepsFailed } from "./step-error";
export * from "./types";
