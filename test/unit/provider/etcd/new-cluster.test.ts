import assert from "node:assert/strict";
import { masters } from "../../../../provider/cluster/masters";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { newClusterVariable } from "../../../../provider/kubeadm/lost-majority";
import type { MastersInputs } from "../../../../provider/machine/program-masters";
import { checkAs, listener, withGivenUp } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

describe("a new cluster from a survivor's data", () => {
    const { fleet, identity, target, make } = threeMasters();
    const named = (name: string) => `${identity().clusterId}/${name}`;
    const forced = async <T>(name: string, work: () => Promise<T>) => {
        process.env[newClusterVariable] = name;
        try {
            return await work();
        } finally {
            delete process.env[newClusterVariable];
        }
    };
    const inputs = () => ({
        clusterId: identity().clusterId,
        peers: JSON.stringify(all.map(name => ({ name, connection: target(name) }))),
    });
    const urlOf = (name: string) => `https://${target(name).host}:2380`;
    const members = () =>
        JSON.stringify(all.map(name => ({ id: 1, name, peerURLs: [urlOf(name)], clientURLs: [urlOf(name)] })));
    /** m1's etcd has no majority; the others are off. */
    const lose = async (answer = "silent") => {
        for (const name of all) await make(name);
        const m1 = fleet().node("m1");
        m1.onScript(({ stdin }) => {
            if (stdin.includes("halfDone=")) {
                return { stdout: `curl=yes\ndata=yes\nhalfDone=no\nhealthy=no\nmembers=${members()}\n` };
            }
            if (stdin.includes("answer_of"))
                return { stdout: ["m2", "m3"].map(m => `${urlOf(m)} ${answer}\n`).join("") };
            return { stdout: "etcd of m1 is a cluster of one member; the former data: /var/lib/etcd/before\n" };
        });
        for (const name of ["m2", "m3"]) await fleet().node(name).powerOff();
        return m1;
    };
    const check = async (context = listener()) => {
        const checked = checkAs<MastersInputs>("Masters", inputs(), inputs(), context);
        const asks = masters.needsCheckInCloud!(inputs(), checked.inputs);
        const { failures } = asks ? await masters.checkInCloud!(inputs(), inputs(), context) : { failures: [] };
        const reasons = failures.map(({ reason }) => reason).join();
        return { asks, reasons, inputs: checked.inputs, context };
    };
    const didIt = () =>
        fleet()
            .node("m1")
            .agent.acts.filter(({ id }) => id === "etcd.new-cluster").length;

    it("is nothing that a run without the variable asks about", async () => {
        const checked = await check();
        assert.equal(checked.asks, false);
        assert.equal(masters.diff("", inputs(), checked.inputs).changes, false);
    });

    it("is an update that preview shows with a warning; it is done once, and the state does not keep it", async () => {
        await lose();
        await forced(named("m1"), () =>
            withGivenUp([named("m2"), named("m3")].join(), async () => {
                const { reasons, inputs: news, context } = await check();
                assert.equal(reasons, "");
                assert.match(context.warned.join(), /etcd becomes a cluster of m1 alone/);
                assert.match(news.forceNewCluster ?? "", new RegExp(named("m1")));
                assert.equal(masters.diff("", inputs(), news).changes, true);
                const { outs } = await masters.update("", inputs(), news, context);
                assert.equal(didIt(), 1);
                assert.equal(outs.forceNewCluster, undefined);
                assert.match(context.noted.join(), /a cluster of one member/);
                // without the variable there is nothing to do, although the engine has kept the input
                assert.equal(masters.diff("", news, inputs()).changes, false);
            }),
        );
    });

    it("is refused while silent masters were not given up, by each name", async () => {
        await lose();
        await forced(named("m1"), () =>
            withGivenUp(named("m2"), async () => {
                const { reasons, inputs: news } = await check();
                assert.match(reasons, /QUORUM_AT_RISK/);
                assert.match(reasons, /m3: /);
                assert.doesNotMatch(reasons, /m2: /);
                await assert.rejects(masters.update("", inputs(), news, listener()), /m3: /);
                assert.equal(didIt(), 0);
            }),
        );
    });

    it("is refused where another member's etcd answers, although its machine is silent and given up", async () => {
        await lose("healthy");
        await forced(named("m1"), () =>
            withGivenUp([named("m2"), named("m3")].join(), async () => {
                assert.match((await check()).reasons, /m2: its etcd has a majority/);
            }),
        );
    });

    for (const [what, name, says] of [
        ["no master of the program", () => named("m9"), /is no master of the program/],
        ["no whole name", () => "m1", /m1 is no master of the program/],
        ["two names", () => `${named("m1")},${named("m2")}`, /is no master of the program/],
    ] as [string, () => string, RegExp][]) {
        it(`is refused for ${what}`, async () => {
            await forced(name(), async () => assert.match((await check()).reasons, says));
        });
    }

    it("is refused for a machine that is no member of the cluster", async () => {
        fleet().node("m1").on(machineStatusArgv, { stdout: "memberOf=\n" });
        await forced(named("m1"), async () => {
            assert.match((await check()).reasons, /m1 \(.*\) is no member of this cluster/);
        });
    });

    it("of another cluster changes nothing here, and says so: several stacks may share the variable", async () => {
        for (const other of ["other-1a2b3c4d", "core-ffffffff"])
            await forced(`${other}/m1`, async () => {
                const { reasons, inputs: news, context } = await check();
                assert.equal(reasons, "");
                assert.match(context.warned.join(), new RegExp(`names ${other}/m1, which is no master of core-`));
                assert.equal(news.forceNewCluster, undefined);
                assert.equal(masters.diff("", inputs(), news).changes, false);
            });
    });

    for (const [what, misspelt] of [
        ["a letter that is missing", (id: string) => id.slice(0, -1)],
        ["two letters in the wrong order", (id: string) => id.replace(/^(.)(.)/, "$2$1")],
        ["capitals", (id: string) => id.toUpperCase()],
        ["no random part", () => "core"],
    ] as [string, (id: string) => string][])
        it(`is refused under this cluster's id with ${what}, at preview and at up`, async () => {
            await lose();
            const value = `${misspelt(identity().clusterId)}/m1`;
            await forced(value, async () => {
                const { reasons } = await check();
                assert.match(
                    reasons,
                    new RegExp(`INVALID_INPUT[^]*${value} is no master of the program[^]*${named("m1")}`),
                );
                await assert.rejects(masters.update("", inputs(), inputs(), listener()), { code: "INVALID_INPUT" });
                assert.equal(didIt(), 0);
            });
        });
});
