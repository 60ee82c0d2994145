import assert from "node:assert/strict";
import { operationEnd } from "../../../../provider/cluster/operation-end";
import type { NfvError } from "../../../../provider/common/errors";
import { runFacts } from "../../../../provider/contract/run-facts";
import { host } from "../../../../provider/host/host";
import type { HostState } from "../../../../provider/host/host-state";
import { node } from "../../../../provider/member/node";
import { checked, endRun, listener, withGivenUp } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

/** What etcdctl says: two voters of three are healthy. */
const m3IsDead = [
    { members: all.map((name, i) => ({ ID: i + 1, name, clientURLs: [`https://${name}:2379`] })) },
    all.map(name => ({ endpoint: `https://${name}:2379`, health: name !== "m3" })),
]
    .map(answer => `${JSON.stringify(answer)}\n`)
    .join("");

describe("a program that differs from the one before", () => {
    const { fleet, identity, of, make, failureOf, programHas, acts } = threeMasters();

    describe("and of which a run leaves out all but one machine (--target)", () => {
        it("begins no cluster: the masters of former programs were not asked", async () => {
            for (const name of ["m2", "m3"]) await make(name, ["m2", "m3"]);
            const news = of("m1", ["m1"]);
            await endRun();
            await host.create(news.host, listener());
            const error = await failureOf(node.create(news.node, listener()));
            assert.equal(error.code, "NO_CONTROL_PLANE");
            assert.match(error.message, /--target[\s\S]*second one/);
            assert.equal(fleet().node("m1").agent.journal["cluster.join"], undefined);
        });

        it("keeps a node whose Host alone is replaced: the engine cannot make the Node again", async () => {
            const { node: made } = await make("m1");
            const { host: inputs } = of("m1", all);
            await endRun();
            checked(listener(), "Host", { ...inputs });
            const { code, message } = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.equal(code, "INVALID_INPUT");
            assert.match(message, /m1: leave: [\s\S]*--target[\s\S]*not come back/);
            assert.deepEqual(acts("m1"), []);
            // A whole run has checked Masters.
            await make("m2");
            programHas(all);
            await node.delete(made.id, made.outs, listener());
            assert.ok(acts("m1").includes("node.reset"));
        });

        /** As Hosts have them: with the addresses of all masters. */
        const withMasters = (state: HostState): HostState => {
            const masters = all.map(name => ({ name, address: fleet().target(name).host }));
            return { ...state, spec: { ...state.spec, masters } };
        };
        const goes = ({ id, outs }: { id: string; outs: HostState }) => host.delete(id, withMasters(outs), listener());

        it("takes a member out of etcd before it is reset, through a master of the cluster that stays", async () => {
            const made = await make("m1");
            const others = [await make("m2"), await make("m3")];
            await endRun();
            const { host: third } = others[1]!;
            await host.delete(third.id, withMasters(third.outs), listener());
            assert.ok([...acts("m1"), ...acts("m2")].includes("node.leave-etcd for m3"));
            assert.ok(acts("m3").includes("node.reset"));
            // A destroy that was stopped half way: the rest goes at once.
            await endRun();
            await Promise.all([made, others[0]!].map(each => goes(each.host)));
            for (const [name, other] of [
                ["m1", "m2"],
                ["m2", "m1"],
            ] as const) {
                assert.ok(acts(name).includes("node.reset"));
                assert.ok(!acts(name).includes(`node.leave-etcd for ${other}`), `${acts(name)}`);
            }
        });

        it("leaves through a ready master, though another one is no member yet, or does not answer", async () => {
            const peers = ["m1", "m2"];
            for (const name of peers) await make(name, peers);
            const { host: second } = await make("m2");
            await host.create(of("m3", all).host, listener());
            await endRun();
            await goes(second);
            assert.ok(acts("m1").includes("node.leave-etcd for m2"), `${acts("m1")}`);
            const again = await make("m2");
            await fleet().node("m3").powerOff();
            await endRun();
            fleet().node("m1").agent.acts.length = 0;
            await goes(again.host);
            assert.ok(acts("m1").includes("node.leave-etcd for m2"), `${acts("m1")}`);
        });

        it("keeps it where the others do not answer, until they are given up", async () => {
            const made = [await make("m1"), await make("m2"), await make("m3")];
            for (const name of ["m1", "m2"]) await fleet().node(name).powerOff();
            await endRun();
            const { host: third } = made[2]!;
            const error = await failureOf(goes(third));
            const id = identity().clusterId;
            assert.equal(error.code, "NO_CONTROL_PLANE");
            assert.match(error.message, new RegExp(`NFV_GIVE_UP=${id}/m1,${id}/m2 `));
            assert.doesNotMatch(error.message, /NFV_GIVE_UP=\S+m3/, "it answers");
            assert.deepEqual(acts("m3"), []);
            await endRun();
            await withGivenUp(`${id}/m1,${id}/m2`, () => goes(third));
            assert.ok(acts("m3").includes("node.reset"));
        });

        it("reaches them as they were reached when it was prepared", async () => {
            for (const name of ["m1", "m2"]) await make(name);
            const { host: third } = await make("m3");
            await endRun();
            // Where no SSH server is: a jump host or a floating IP leads to them.
            const masters = all.map(name => ({ name, address: "127.0.0.99" }));
            await host.delete(third.id, { ...third.outs, spec: { ...third.outs.spec, masters } }, listener());
            assert.ok([...acts("m1"), ...acts("m2")].includes("node.leave-etcd for m3"));
        });

        it("does not stop the end of a first creation that failed: etcd of its only master knows no other", async () => {
            const made = await make("m1");
            for (const name of ["m2", "m3"]) await fleet().node(name).powerOff();
            await endRun();
            await goes(made.host);
            assert.ok(acts("m1").includes("node.reset"));
        });

        it("lets silent servers of a cloud go where all of them go, and keeps one that would go alone", async () => {
            const made = [await make("m1"), await make("m2"), await make("m3")];
            for (const name of all) await fleet().node(name).powerOff();
            const go = ({ host: { id, outs } }: (typeof made)[number]) =>
                goes({ id, outs: { ...outs, server: { cloud: {} } } as never });
            await endRun();
            assert.equal((await failureOf(go(made[0]!))).code, "NO_CONTROL_PLANE");
            await endRun();
            await Promise.all(made.map(go));
        });

        it("says how a destroy that stopped half way ends, where one after another goes and etcd would lose its quorum", async () => {
            const [, second] = [await make("m1"), await make("m2"), await make("m3")];
            await endRun();
            for (const name of ["m1", "m3"])
                fleet()
                    .node(name)
                    .on(["sh", "-s", "pulumi-nfv"], ({ stdin }) =>
                        String(stdin).includes("member list") ? { stdout: m3IsDead } : {},
                    );
            const error = await failureOf(goes(second.host));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.hint, /pulumi destroy without --target and without --parallel 1/);
        });

        it("never resets the last member with a Host where all Hosts are replaced (--target-replace)", async () => {
            const made = [await make("m1"), await make("m2"), await make("m3")];
            await endRun();
            for (const { host: each } of made) checked(listener(), "Host", { ...each.outs });
            const ends = await Promise.allSettled(made.map(each => goes(each.host)));
            const codes = ends.map(end => (end.status === "fulfilled" ? "left" : (end.reason as NfvError).code));
            assert.deepEqual(codes.sort(), ["QUORUM_AT_RISK", "left", "left"]);
        });

        it("lets a node leave before anything of its cluster was checked: its server is replaced first (Nova)", async () => {
            const made = [await make("m1"), await make("m2"), await make("m3")];
            await endRun();
            checked(listener(), "ClusterId", {});
            const { node: third } = made[2]!;
            await node.delete(third.id, third.outs, listener());
            assert.ok([...acts("m1"), ...acts("m2")].includes("node.leave-etcd for m3"));
        });

        it("keeps all nodes where they would leave as they depend on one Host that goes (--target-dependents)", async () => {
            const made = [await make("m1"), await make("m2"), await make("m3")];
            await endRun();
            // The second run is refused, too: the first one has deleted OperationEnd.
            for (const end of [{ spec: { clusterId: identity().clusterId, nodes: {} } }, undefined]) {
                if (end) await operationEnd.delete("end", end as never, listener());
                if (end) runFacts(listener()).did.deleted.add("CnfObjects web");
                for (const { node: each } of made) {
                    const error = await failureOf(node.delete(each.id, each.outs, listener()));
                    assert.equal(error.code, "INVALID_INPUT");
                    assert.match(error.message, /only a part of core-[\s\S]*change the program/);
                    assert.equal(/already deleted by this run.*: CnfObjects web/.test(error.reason), end !== undefined);
                }
                await endRun();
            }
            for (const name of all) assert.deepEqual(acts(name), []);
        });
    });
});
