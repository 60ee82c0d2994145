export { agentHash, agentPath, agentText } from "./agent";
export { callAgent, forgetNode, forgetStep } from "./call-agent";
export { type Clock, realClock } from "./clock";
export { canonicalJson, fingerprint, keyedHash, unknownFingerprint } from "./fingerprint";
export { plan, planOnTheWay, stale, stepTitles } from "./plan";
export type { NodeConnection, RunContext } from "./run-context";
export { type ActContext, runAct, runSteps } from "./runner";
export { StepsFailed } from "./step-error";
export * from "./types";
