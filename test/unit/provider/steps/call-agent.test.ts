import assert from "node:assert/strict";
import type { Connection, RunOptions } from "../../../../provider/ssh/types";
import { callAgent } from "../../../../provider/steps";
import { type AgentCall, agentExit } from "../../../../provider/steps/protocol";

const calls: Record<Exclude<AgentCall["verb"], "run" | "probe">, AgentCall> = {
    open: { verb: "open", cluster: "c", node: "n", holder: "h", ttlSeconds: 30 },
    renew: { verb: "renew", holder: "h", ttlSeconds: 30 },
    close: { verb: "close", holder: "h" },
    wait: { verb: "wait", id: "a", offset: 0 },
    done: { verb: "done", id: "a", fingerprint: "f", holder: "h" },
    forget: { verb: "forget", id: "a" },
    stop: { verb: "stop", id: "a", holder: "h" },
};

describe("a call of the agent", () => {
    for (const [verb, call] of Object.entries(calls)) {
        it(`has a deadline: ${verb}, on a machine whose disk hangs`, async () => {
            const asked: RunOptions[] = [];
            const exec = async (_: readonly string[], options: RunOptions = {}) => {
                asked.push(options);
                return { code: agentExit.ok, stdout: "", stderr: "" };
            };
            await callAgent({ exec } as unknown as Connection, call, { signal: undefined, timeoutSeconds: undefined });
            assert.ok(asked[0]!.timeoutSeconds! > 0);
        });
    }
});
