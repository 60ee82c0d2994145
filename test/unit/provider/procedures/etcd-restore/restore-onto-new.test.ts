import assert from "node:assert/strict";
import { masters } from "../../../../../provider/cluster/masters";
import type { Context } from "../../../../../provider/contract/types";
import { node } from "../../../../../provider/member/node";
import { etcdRestore } from "../../../../../provider/procedures/etcd-restore/restore";
import type { EtcdRestoreInputs } from "../../../../../provider/procedures/etcd-restore/restore-state";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { sampleEtcdBackup } from "../../etcd/sample-etcd-backup";
import { checkAs, listener, withGivenUp } from "../../support/cluster";
import { all, threeMasters } from "../../support/three-masters";

describe("a restore of etcd onto new machines, as the engine does it", () => {
    const { fleet, identity, target, of, make, failureOf } = threeMasters();
    const peers = (names: readonly string[]) => names.map(name => ({ name, connection: target(name) }));
    /** Machines that were the masters before, at addresses where nothing answers. */
    const formers = all.map((name, i) => ({
        name,
        connection: { ...target0(), host: `127.0.0.${80 + i}`, connectTimeoutSeconds: 3 },
    }));
    function target0() {
        return { user: "debian", port: 9, privateKey: "none" };
    }
    const inputs = (run = "one"): EtcdRestoreInputs => ({
        ...{ clusterId: identity().clusterId, requestId: run, snapshot: "latest", nodes: {} },
        ontoNew: { identity: "0123456789abcdef", kubernetesVersion: "1.34.4" },
        backup: JSON.stringify(sampleEtcdBackup().backup),
        ...{ peers: JSON.stringify(peers(all)), workers: "[]" },
    });
    const restore = (context: Context = listener()) =>
        etcdRestore.create(checkAs("EtcdRestore", {}, inputs(), context).inputs, context);
    const mastersInputs = (list: object, ontoNew?: string) => ({
        ...{ clusterId: identity().clusterId, peers: JSON.stringify(list) },
        ...(ontoNew !== undefined && { ontoNew }),
    });
    /** The run's check of Masters: the reasons of its failures. */
    const check = async (before: object, word = "one", begun?: string) => {
        const context = listener();
        const [olds, news] = [mastersInputs(before, begun), mastersInputs(peers(all), word)];
        const { inputs: checked } = checkAs("Masters", olds, news, context);
        assert.equal(masters.needsCheckInCloud!(olds, checked), true);
        const { failures } = await masters.checkInCloud!(olds, checked, context);
        return failures.map(({ reason }) => reason).join("\n");
    };
    const givenUp = () => all.map(name => `${identity().clusterId}/${name}`).join();
    const acts = (name: string) =>
        fleet()
            .node(name)
            .agent.acts.map(({ id }) => id);
    let seed: string;

    beforeEach(() => {
        seed = "";
        for (const name of all) {
            fleet()
                .node(name)
                .onScript(({ stdin }) => {
                    const text = stdin.toString();
                    if (text.includes("print-seed")) return { stdout: seed };
                    if (text.includes("choose-snapshot")) return { stdout: "0123abcd 4000 2026-11-27T02:30:00Z\n" };
                    return {};
                });
        }
    });

    it("asks the former masters before any machine is touched: silent ones are to be given up", async () => {
        assert.match(await check(formers), /the former m1 \(127\.0\.0\.80\) does not answer[\s\S]*NFV_GIVE_UP=/);
        assert.equal(await withGivenUp(givenUp(), () => check(formers)), "");
    });

    it("is refused where the masters of the program are those that live, and not once it has begun them", async () => {
        for (const name of all) await make(name);
        assert.match(await check(peers(all)), /are control-plane nodes already; nothing was changed/);
        assert.equal(await check(peers(all), "one", "one"), "");
        await assert.rejects(restore(), /RESTORE_FAILED[\s\S]*control-plane nodes already/);
        for (const name of all) assert.ok(!acts(name).includes("etcd.fetch-seed"));
    });

    it("brings the snapshot onto the first machine alone, once for each word", async () => {
        await withGivenUp(givenUp(), () => check(formers));
        const context = listener();
        const { id, outs } = await withGivenUp(givenUp(), () => restore(context));
        assert.deepEqual(outs.restored, { requestId: "one", snapshot: "0123abcd" });
        assert.deepEqual([acts("m1"), acts("m2"), acts("m3")], [["etcd.fetch-seed"], [], []]);
        const [act] = fleet().node("m1").agent.acts;
        assert.match(act!.script, /^VERSION='?1\.34\.4'?$/m);
        assert.match(context.noted.join(), /m1 begins the cluster with the snapshot 0123abcd[\s\S]*up --refresh/);
        assert.equal(etcdRestore.diff(id, outs, inputs()).changes, false);
        // killed before the state had it
        const again = () => withGivenUp(givenUp(), () => restore());
        seed = "one 0123abcd 1.34.4\n";
        await again();
        assert.deepEqual(acts("m1"), ["etcd.fetch-seed"]);
        // for another version: the same snapshot is proven again, though "latest" may be another one
        seed = "one 4567cdef 1.33.9\n";
        assert.deepEqual((await again()).outs.restored, { requestId: "one", snapshot: "4567cdef" });
        assert.deepEqual(acts("m1"), ["etcd.fetch-seed", "etcd.fetch-seed"]);
    });

    it("touches no machine in a run whose targets leave out what knows the former masters", async () => {
        const { code, message } = await failureOf(restore());
        assert.equal(code, "RESTORE_FAILED");
        assert.match(message, /leaves out \(--target or --exclude\)[\s\S]*nothing was changed/);
        for (const name of all) assert.deepEqual(acts(name), []);
    });

    it("fails with the machine's words where the snapshot cannot be had", async () => {
        const failure = {
            exitCode: exitCodes.RESTORE_FAILED,
            output: "restore one: it is damaged; nothing was changed\n",
        };
        fleet().node("m1").agent.failStep("etcd.fetch-seed", 1, failure);
        await check(peers(all));
        const { code, message } = await failureOf(restore());
        assert.equal(code, "RESTORE_FAILED");
        assert.match(message, /m1[\s\S]*it is damaged; nothing was changed/);
    });

    it("is what the first master's init begins with, and is in no state", async () => {
        const both = of("m1", all);
        await check(peers(all));
        const { outs } = await node.create({ ...both.node, ontoNew: "one" }, listener());
        assert.equal("ontoNew" in outs, false);
        assert.match(fleet().node("m1").agent.scripts["cluster.join"]!, /^SEED='?one'?$/m);
    });
});
