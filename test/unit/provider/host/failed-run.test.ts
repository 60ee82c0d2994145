import assert from "node:assert/strict";
import { serve } from "../../../../provider/adapters/serve";
import { host } from "../../../../provider/host/host";
import { newKeyPair } from "../../../../testing/keys";
import { endRun, listener } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

describe("a program that differs from the one before", () => {
    const { identity, of, make, failureOf, acts } = threeMasters();

    describe("and in which something failed", () => {
        const run = () => {
            const { session } = listener();
            return serve(session, { report: () => {}, warn: () => {}, note: () => {} });
        };
        const refusesAll = async (made: Awaited<ReturnType<typeof make>>[]) => {
            const provider = run();
            for (const each of made) {
                for (const [type, { id, outs }] of [
                    ["Host", each.host],
                    ["Node", each.node],
                ] as const) {
                    const error = await failureOf(provider.delete(type, id, outs as never));
                    assert.match(error.message, /nothing is taken away[\s\S]*aliases/);
                }
            }
            for (const [type, state] of [
                ["ProjectGuard", { clusterName: "core", cloud: {} }],
                ["OwnerMark", { mark: "core" }],
                ["ClusterId", { clusterId: "core-1a2b3c4d" }],
            ] as const) {
                const error = await failureOf(provider.delete(type, "id", state));
                assert.match(error.message, /nothing is taken away/);
            }
            for (const name of all) assert.deepEqual(acts(name), []);
        };

        it("takes nothing away: with --continue-on-error, a renaming would end the living cluster", async () => {
            const made = await Promise.all(all.map(name => make(name)));
            await endRun();
            const renamed = of("m1", all, { ...identity(), clusterId: "core2-ffffffff" });
            assert.equal((await failureOf(run().create("Host", { ...renamed.host }))).code, "FOREIGN_NODE");
            await refusesAll(made);
        });

        it("takes nothing away where the new name has a wrong login", async () => {
            const made = await Promise.all(all.map(name => make(name)));
            await endRun();
            const { host: inputs } = of("m1", all, { ...identity(), clusterId: "core2-ffffffff" });
            const connection = { ...inputs.connection, privateKey: newKeyPair().private };
            assert.equal(
                (await failureOf(run().create("Host", { ...inputs, connection }))).code,
                "AUTHENTICATION_FAILED",
            );
            await refusesAll(made);
        });

        it("takes nothing away where a check refused the new name's inputs", async () => {
            const made = await Promise.all(all.map(name => make(name)));
            await endRun();
            const { failures } = await run().check("ProjectGuard", {}, { clusterName: 5 });
            assert.equal(failures?.length, 1);
            await refusesAll(made);
        });
    });

    describe("and in which a check of ours broke", () => {
        const broken = (name: "check" | "checkInCloud") => {
            const { session } = listener();
            const provider = serve(session, { report: () => {}, warn: () => {}, note: () => {} });
            const fails = () => {
                throw new Error("the check broke");
            };
            const own = {
                ...host,
                ...(name === "check"
                    ? { check: fails }
                    : { needsCheckInCloud: () => true, checkInCloud: async () => fails() }),
            };
            return { provider, own };
        };
        for (const name of ["check", "checkInCloud"] as const) {
            it(`takes nothing away, too (${name})`, async () => {
                const made = await make("m1");
                await endRun();
                const { provider, own } = broken(name);
                const before = { ...host };
                Object.assign(host, own);
                try {
                    await assert.rejects(provider.check("Host", {}, { ...of("m1", all).host }), /the check broke/);
                } finally {
                    Object.assign(host, before);
                }
                const { id, outs } = made.node;
                assert.match(
                    (await failureOf(provider.delete("Node", id, outs as never))).message,
                    /nothing is taken away[\s\S]*the check broke/,
                );
                assert.deepEqual(acts("m1"), []);
            });
        }
    });
});
