import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/common/errors";
import { RunSession } from "../../../../provider/common/run-session";
import type { Context } from "../../../../provider/contract/types";
import { patience, retryUntilControlPlaneReady } from "../../../../provider/machine/control-plane-ready";
import { listener } from "../support/cluster";

describe("control-plane nodes that live but do not serve", () => {
    const usual = { ...patience };
    const said: string[] = [];
    let context: Pick<Context, "report" | "signal" | "session">;
    const refusal = (cause: string) => new NfvError({ code: "NO_CONTROL_PLANE", cause });

    beforeEach(() => {
        said.length = 0;
        patience.pauseSeconds = 0.2;
        context = { ...listener(new RunSession()), report: text => void said.push(text) };
    });
    after(() => {
        Object.assign(patience, usual);
    });

    for (const [what, cause] of [
        ["because their API server starts", "m1: its API server is not ready"],
        ["because sshd is too slow", "m1: 10.0.0.11:22 closed the connection before it was usable, tried for 15 s"],
        [
            "because the look takes too long",
            "m1: 10.0.0.11:22 did not answer in time\nm2: 10.0.0.12:22 ran sh for more than 20 s",
        ],
    ] as const)
        it(`are waited for, and a person is told, ${what}`, async () => {
            patience.seconds = 10;
            let attempts = 0;
            const answer = await retryUntilControlPlaneReady(context, "core", async () => {
                if (++attempts < 2) throw refusal(cause);
                return "m1";
            });
            assert.equal(answer, "m1");
            assert.deepEqual(said, ["wait for a control-plane node that serves"]);
        });

    it("end the operation when the time is over", async () => {
        patience.seconds = 0;
        const work = async () => Promise.reject(refusal("m1: its API server is not ready"));
        await assert.rejects(retryUntilControlPlaneReady(context, "core", work), /not ready/);
    });

    it("are not waited for where they cannot be reached at all", async () => {
        patience.seconds = 10;
        let attempts = 0;
        const work = async () => {
            attempts++;
            throw refusal("m1: 10.0.0.11:22 did not answer in time, tried for 15 s");
        };
        await assert.rejects(retryUntilControlPlaneReady(context, "core", work), /did not answer/);
        assert.equal(attempts, 1);
    });

    describe("in a run that has waited for their cluster in vain", () => {
        const inVain = async (clusterId = "core") => {
            let attempts = 0;
            const work = async () => {
                attempts++;
                throw refusal("m1: its API server is not ready");
            };
            await assert.rejects(retryUntilControlPlaneReady(context, clusterId, work), /not ready/);
            return attempts;
        };
        const ready = () => retryUntilControlPlaneReady(context, "core", async () => "m1");

        beforeEach(async () => {
            patience.seconds = 0.1;
            assert.equal(await inVain(), 2);
        });

        it("are asked once more for each other node, and not waited for again", async () => {
            assert.equal(await inVain(), 1);
            assert.equal(await inVain(), 1);
            assert.equal(await ready(), "m1");
        });

        it("are waited for again once one was ready, and so are those of another cluster", async () => {
            assert.equal(await inVain("other"), 2);
            await ready();
            assert.equal(await inVain(), 2);
        });
    });
});
