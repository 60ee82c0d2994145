export { agentHash, agentPath, agentText, stateFolder } from "./agent";
export { type Clock, realClock } from "./clock";
export { canonicalJson, fingerprint, keyedHash, unknownFingerprint } from "./fingerprint";
export { plan, stale, stepTitles } from "./plan";
export { type RunContext, runSteps, StepsFailed } from "./runner";
export { forgetNode } from "./session";
export * from "./types";
