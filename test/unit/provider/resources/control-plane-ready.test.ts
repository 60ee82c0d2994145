import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/errors";
import { patience, retryUntilControlPlaneReady } from "../../../../provider/resources/control-plane-ready";

describe("masters whose API servers are not ready", () => {
    const usual = patience.seconds;
    const said: string[] = [];
    const context = { report: (text: string) => said.push(text) };
    const refusal = (cause: string) => new NfvError({ code: "NO_CONTROL_PLANE", cause });

    after(() => {
        patience.seconds = usual;
    });

    it("are waited for, and a person is told", async () => {
        patience.seconds = 10;
        let attempts = 0;
        const answer = await retryUntilControlPlaneReady(context, async () => {
            if (++attempts < 2) throw refusal("m1: its API server is not ready");
            return "m1";
        });
        assert.equal(answer, "m1");
        assert.deepEqual(said, ["wait for a master's API server"]);
    });

    it("end the operation when the time is over", async () => {
        patience.seconds = 0;
        const work = async () => Promise.reject(refusal("m1: its API server is not ready"));
        await assert.rejects(retryUntilControlPlaneReady(context, work), /not ready/);
    });

    it("are not waited for where they cannot be reached at all", async () => {
        patience.seconds = 10;
        let attempts = 0;
        const work = async () => {
            attempts++;
            throw refusal("no master answers: m1");
        };
        await assert.rejects(retryUntilControlPlaneReady(context, work), /no master answers/);
        assert.equal(attempts, 1);
    });
});
