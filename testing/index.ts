export { FakeAgent } from "./fake-agent";
export type { FakeFile } from "./fake-files";
export { FakeFiles } from "./fake-files";
export type { FleetOptions } from "./fake-fleet";
export { FakeFleet } from "./fake-fleet";
export { FakeNode } from "./fake-node";
export type { KeyPair } from "./keys";
export { newKeyPair } from "./keys";
export type { Answering, FakeAnswer, FakeBehaviour, FakeCall, FleetEvent, Matcher, StepAnswer } from "./types";
