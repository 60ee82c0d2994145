import { createHash } from "node:crypto";

const agentText = String.raw`#!/bin/sh
`;

/** Short hash of the agent's text: part of its name, so that an older one is never used by mistake. */
export const agentHash = createHash("sha256").update(agentText).digest("hex").slice(0, 12);

/** Where everything of ours lives on a node. */
export const stateFolder = "/var/lib/pulumi-nfv";

export const agentPath = `${stateFolder}/agent-${agentHash}`;

export { agentText };
