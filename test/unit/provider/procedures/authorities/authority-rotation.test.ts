import assert from "node:assert/strict";
import { newKeySet, withNewAuthorities } from "../../../../../provider/identity";
import { middleOf, noteThatWaits } from "../../../../../provider/member/joins-later";
import { authoritiesStateArgv } from "../../../../../provider/procedures/authorities/authority-acts";
import {
    type AuthorityRotationInputs,
    type AuthorityRotationState,
    authorityRotation,
} from "../../../../../provider/procedures/authorities/authority-rotation";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { FakeFleet } from "../../../../../testing";
import { checkAs, endRun, listener, withGivenUp } from "../../support/cluster";

describe("the rotation of a cluster's authorities", () => {
    let fleet: FakeFleet;
    const clusterId = "core-12345678";
    const masters = ["m1", "m2", "m3"];
    const workers = ["w1", "w2"];
    /** By control-plane node: the authority that it trusts. */
    let trusts: Record<string, string>;
    /** Control-plane nodes whose machine is another one, without a cluster. */
    let strangers: Set<string>;
    /** Further members of etcd. */
    let more: string;
    let key: AuthorityRotationInputs["key"];

    const peers = (names: readonly string[]) =>
        JSON.stringify(names.map(name => ({ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 } })));
    const inputs = (changes: Partial<AuthorityRotationInputs> = {}): AuthorityRotationInputs => ({
        ...{ clusterId, word: "one", madeFor: "one", graceHours: 24, when: "later", key, unended: "" },
        ...{ peers: peers(masters), workers: peers(workers), nodes: { m1: "restarts", w1: "kubelet restarts" } },
        ...changes,
    });
    /** Check and what follows, as the engine calls them. */
    const apply = (given = inputs(), olds?: AuthorityRotationState, context = listener()) => {
        const { inputs: stored, failures } = checkAs("AuthorityRotation", olds ?? {}, given, context);
        assert.deepEqual(failures, []);
        return olds === undefined
            ? authorityRotation.create(stored, context)
            : authorityRotation.update!("id", olds, stored, context);
    };
    const changes = (olds: AuthorityRotationState, given = inputs()) => {
        const context = listener();
        checkAs("AuthorityRotation", olds, given, context);
        return authorityRotation.diff("id", olds, given, context);
    };
    const order = () =>
        fleet.events.filter(({ event }) => event === "begin").map(({ node, step }) => `${node} ${step}`);
    const onMasters = (step: string) => masters.map(node => `${node} node.${step}`);
    const issued = onMasters("certificates-of-new-authorities");
    const trusted = onMasters("trust-new-authorities");
    const published = "m1 cluster.publish-authority";
    const awayOn = (name: string) =>
        /AWAY='?([^'\n]*)/.exec(fleet.node(name).agent.scripts["node.trust-new-authorities"]!)?.[1];
    const isWorkers = (each: string) => each.startsWith("w");
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const overdue = async () => ({ ...(await apply()).outs, since: hoursAgo(25) });

    before(async () => {
        const first = await newKeySet();
        const { certificates, keys } = await withNewAuthorities(first, { validDays: 10, seal: () => "sealed" });
        const { caKey: secret, ...others } = keys;
        const { name, bridges } = certificates.exchanged!;
        key = { secret, name, bridges, authorities: { ...certificates, ...others } };
    });
    beforeEach(async () => {
        trusts = {};
        strangers = new Set();
        more = "";
        fleet = await FakeFleet.start({ nodes: [...masters, ...workers] });
        for (const name of [...masters, ...workers]) {
            fleet.node(name).agent.belongsTo = { cluster: clusterId, node: name };
            fleet.node(name).agent.journal["cluster.join"] = "0123456789ab";
            fleet.node(name).onScript({});
            fleet.node(name).on(authoritiesStateArgv, () => ({
                stdout: `member=${strangers.has(name) ? "" : clusterId}\nready=yes\nours=yes\nkeys=${trusts[name] ?? "old"}\netcd=yes\nmembers=m1 m2 m3${more}\n`,
            }));
        }
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("touches no node before the grace is over, and stores no key and no login", async () => {
        const { outs } = await apply();
        assert.deepEqual(order(), []);
        assert.deepEqual([outs.rotated, outs.keyName, outs.ended], ["one", key.name, false]);
        const { inputs: stored } = checkAs("AuthorityRotation", {}, inputs(), listener());
        for (const text of [JSON.stringify(outs), JSON.stringify(stored)]) assert.doesNotMatch(text, /PRIVATE|BEGIN/);
        assert.equal(changes(outs).changes, false);
    });

    it("exchanges them with the first run after the grace: certificates of all nodes, then trust; and says so at preview", async () => {
        const olds = await overdue();
        const { changes: isChanged, note } = changes(olds);
        assert.ok(isChanged);
        assert.equal(note, "m1: restarts\nw1: kubelet restarts");
        assert.equal(changes(olds, inputs({ graceHours: 48 })).changes, false);
        const { outs } = await apply(inputs(), olds);
        const seen = order();
        assert.deepEqual(seen.slice(0, 3), issued);
        assert.deepEqual(
            seen.slice(3, 5).sort(),
            workers.map(each => `${each} node.certificate-of-new-authority`),
        );
        assert.deepEqual(seen.slice(5, 8), trusted);
        assert.deepEqual(
            seen.slice(8, 10).sort(),
            workers.map(each => `${each} node.trust-new-authority`),
        );
        assert.deepEqual(seen.slice(10), [published]);
        assert.ok(outs.ended);
        assert.equal(changes(outs).changes, false);
    });

    it("gives no worker the private key of an authority", async () => {
        await apply(inputs(), await overdue());
        const secrets = (name: string) => JSON.stringify(fleet.node(name).agent.scripts);
        const inBase64 = Buffer.from(key.secret).toString("base64");
        for (const worker of workers) assert.ok(!secrets(worker).includes(inBase64));
    });

    it("exchanges them at once without a grace", async () => {
        const { outs } = await apply(inputs({ graceHours: 0 }));
        assert.ok(outs.ended);
        assert.equal(order().length, 11);
    });

    it("does nothing for the authorities with which the cluster was made", async () => {
        const { name: _, ...unnamed } = key;
        const { outs } = await apply(inputs({ key: unnamed as typeof key }));
        assert.deepEqual([order(), outs.ended], [[], true]);
    });

    it("goes on where a run was stopped; trust does not begin before all certificates are exchanged", async () => {
        const olds = await overdue();
        fleet.node("w2").agent.failStep("node.certificate-of-new-authority", 1, {
            exitCode: exitCodes.ROTATION_FAILED,
            output: "not now\n",
        });
        await assert.rejects(apply(inputs(), olds), /w2[\s\S]*not now/);
        assert.ok(!order().some(each => each.includes("trust")));
        const before = order().length;
        assert.ok((await apply(inputs(), olds)).outs.ended);
        assert.deepEqual(
            order()
                .slice(before)
                .filter(each => !isWorkers(each)),
            [...issued, ...trusted, published],
        );
    });

    it("is refused while a control-plane node is away and all trust the former authorities", async () => {
        const olds = await overdue();
        await fleet.node("m3").powerOff();
        await assert.rejects(apply(inputs(), olds), /m3[\s\S]*All control-plane nodes must answer/);
        assert.deepEqual(order(), []);
    });

    it("goes on without a node that is away where one trusts the new authorities, says so, and comes back to it", async () => {
        const olds = await overdue();
        trusts = { m1: key.name! };
        await fleet.node("m3").powerOff();
        await fleet.node("w2").powerOff();
        const context = listener();
        const { outs } = await withGivenUp(`${clusterId}/m3`, () => apply(inputs(), olds, context));
        assert.equal(outs.ended, false);
        assert.match(context.warned.join(), /m3, w2 did not answer or are no members, and have no new authorities/);
        assert.equal(awayOn("m2"), "m3 https://127.0.0.1:2380");
        assert.ok(!order().some(each => /^(m3|w2) /.test(each)));
        assert.ok(changes(outs).changes);
    });

    it("asks for a node that is away to be given up where etcd has no majority without it while another one restarts", async () => {
        const olds = await overdue();
        trusts = { m1: key.name! };
        await fleet.node("m3").powerOff();
        await assert.rejects(
            apply(inputs(), olds),
            /QUORUM_AT_RISK[\s\S]*m3 did not answer[\s\S]*NFV_GIVE_UP=core-12345678\/m3 pulumi up/,
        );
        assert.deepEqual(order(), []);
    });

    it("lets each node refuse to restart etcd without a majority where all trust the new authorities, and none was given up", async () => {
        const olds = await overdue();
        trusts = { m1: key.name!, m2: key.name! };
        await fleet.node("m3").powerOff();
        assert.equal((await apply(inputs(), olds)).outs.ended, false);
        assert.equal(awayOn("m2"), "");
    });

    it("goes on without a node whose machine is another one by now, and without a member that is given up", async () => {
        const olds = await overdue();
        trusts = { m1: key.name! };
        strangers.add("m3");
        assert.equal((await apply(inputs(), olds)).outs.ended, false);
        assert.ok(!order().some(each => each.startsWith("m3 ")));
        more = " m4";
        await assert.rejects(apply(inputs(), olds), /members that the program does not: m4/);
        await withGivenUp(`${clusterId}/m4`, () => apply(inputs(), olds));
    });

    it("says of a node that does not work how it is healed while others trust the new ones already", async () => {
        const olds = await overdue();
        fleet
            .node("m3")
            .on(authoritiesStateArgv, { stdout: `member=${clusterId}\nours=yes\nkeys=old\nmembers=m1 m2 m3\n` });
        await assert.rejects(
            apply(inputs(), olds),
            /API server is not ready[\s\S]*rotate.authorities stays in the program/,
        );
        trusts = { m1: key.name! };
        await assert.rejects(
            apply(inputs(), olds),
            /API server is not ready[\s\S]*rotate.authorities left in the program/,
        );
    });

    it("leaves out nodes that this run did not let join, and has not ended until they have", async () => {
        const olds = await overdue();
        trusts = { m1: key.name! };
        const context = listener();
        noteThatWaits(clusterId, "w2", context, middleOf.rotation);
        context.warned.length = 0;
        const { outs } = await apply(inputs(), olds, context);
        assert.equal(outs.ended, false);
        assert.deepEqual(context.warned, []);
        assert.ok(!order().some(each => each.startsWith("w2 ")));
    });

    it("is not refused beforehand where one trusts the new authorities and another is away, as after a run that was killed", async () => {
        await fleet.node("m3").powerOff();
        const looks = () => authorityRotation.checkInCloud!({}, inputs(), listener());
        assert.match(JSON.stringify((await looks()).failures), /All control-plane nodes must answer/);
        trusts = { m1: key.name! };
        assert.deepEqual((await looks()).failures, []);
    });

    it("goes on at once where a node trusts the new ones already, as after an older state came back", async () => {
        trusts = { m1: key.name!, m2: key.name!, m3: key.name! };
        assert.ok((await apply()).outs.ended);
    });

    it("refuses another word before the last one's rotation has ended", async () => {
        const asks = (unended: string) =>
            checkAs("AuthorityRotation", {}, inputs({ word: "two", unended }), listener());
        assert.match(asks("one").failures![0]!.reason, /"two" comes before the rotation of "one" has ended on the/);
        for (const unended of ["two", ""]) assert.deepEqual(asks(unended).failures, []);
        assert.ok(!("unended" in asks("").inputs), "it is of this run");
    });

    it("fails where the run leaves out the resource that makes the authorities", async () => {
        await assert.rejects(apply(inputs({ madeFor: "" })), /there is no key for the word "one"/);
    });
});
