import assert from "node:assert/strict";
import { clusterIdResource } from "../../../../provider/cluster/cluster-id";
import { giveUpVariable } from "../../../../provider/contract/give-up";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { knownNodesArgv } from "../../../../provider/member/known-node";
import { node } from "../../../../provider/member/node";
import { FakeFleet } from "../../../../testing";
import { createIdentity, type Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "../support/cluster";

const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as Error & { id?: string },
    );

describe("machines that are not ours, or cannot be asked", () => {
    let identity: Identity;
    let stranger: Identity;
    let fleet: FakeFleet;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const of = (name: string, changes = {}) =>
        machine(
            identity,
            name,
            name.startsWith("m") ? "controlPlane" : "worker",
            target(name),
            { m1: target("m1"), m2: target("m2") },
            changes,
        );
    const make = async (name: string) => ({
        host: await host.create(of(name).host, listener()),
        node: await node.create(of(name).node, listener()),
    });
    /** The machine as somebody else's kubeadm leaves it; our own notes stay. */
    const becomesForeign = (name: string, notes = "") => {
        const authority = Buffer.from(stranger.caCertificate).toString("base64");
        const stdout = `${notes}trace=/etc/kubernetes/kubelet.conf\ntrace=/var/lib/etcd/member\nauthority=${authority}\nserver=https://10.0.0.9:6443\n`;
        fleet.node(name).on(machineStatusArgv, { stdout });
    };
    const onlyLookedAt = (name: string, from = 0) => {
        const { commands, files } = fleet.node(name);
        assert.ok(commands.length > from, "it was looked at");
        for (const { argv } of commands.slice(from)) assert.deepEqual(argv.slice(0, 3), machineStatusArgv);
        return files.paths();
    };

    before(async () => {
        [identity, stranger] = await Promise.all([testIdentity(), createIdentity({ clusterName: "edge" })]);
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"], sudo: false });
    });
    afterEach(async () => {
        delete process.env[giveUpVariable];
        await endRun();
        await fleet.stop();
    });

    describe("of another cluster, by a mistyped address", () => {
        for (const name of ["m1", "w1"]) {
            it(`is refused as ${name} at the first look, and not one thing on it changes`, async () => {
                becomesForeign(name);
                for (const creating of [
                    host.create(of(name).host, listener()),
                    node.create(of(name).node, listener()),
                ]) {
                    const failure = await failureOf(creating);
                    assert.equal(failure.id, undefined, "there is nothing that a destroy could undo");
                    assert.match(failure.message, new RegExp(`^${name}: FOREIGN_NODE`));
                    assert.match(failure.message, /API server: https:\/\/10\.0\.0\.9:6443\n/);
                    assert.match(failure.message, /its authority's key: sha256:[0-9a-f]{64}/);
                }
                assert.deepEqual(onlyLookedAt(name), []);
            });
        }

        it("is refused as a worker while masters of ours live", async () => {
            await make("m1");
            becomesForeign("w1");
            assert.match((await failureOf(node.create(of("w1").node, listener()))).message, /^w1: FOREIGN_NODE/);
            assert.deepEqual(onlyLookedAt("w1"), []);
        });
    });

    describe("that run somebody else's software", () => {
        const vip = {
            host: "10.99.0.100",
            port: 16443,
            vip: { address: "10.99.0.100", prefixLength: 24, virtualRouterId: 7, interface: "" },
        };
        const withBalancer = (name: string) => {
            const { host: inputs } = of(name);
            return { ...inputs, spec: { ...inputs.spec, endpoint: vip } };
        };
        const balances = "balancer=haproxy with /etc/haproxy/haproxy.cfg\n";

        it("are refused at the first look, and not one thing on them changes", async () => {
            fleet.node("w1").on(machineStatusArgv, { stdout: "software=process dockerd\n" });
            const failure = await failureOf(host.create(of("w1").host, listener()));
            assert.equal(failure.id, undefined);
            assert.match(
                failure.message,
                /^w1: FOREIGN_SOFTWARE\n.*nothing on it was changed\n +found: process dockerd\n/,
            );
            assert.deepEqual(onlyLookedAt("w1"), []);
        });

        it("are refused as a master with our load balancer where one of others is at work", async () => {
            fleet.node("m1").on(machineStatusArgv, { stdout: balances });
            assert.match(
                (await failureOf(host.create(withBalancer("m1"), listener()))).message,
                /^m1: FOREIGN_SOFTWARE\n.*\n +found: haproxy/,
            );
            assert.deepEqual(onlyLookedAt("m1"), []);
        });

        it("are refused the same way when a cluster gets its virtual address later", async () => {
            const { id, outs } = await host.create(of("m1").host, listener());
            const notes = `noted=${identity.clusterId} m1\n`;
            fleet.node("m1").on(machineStatusArgv, { stdout: notes + balances });
            assert.match(
                (await failureOf(host.update(id, outs, withBalancer("m1"), listener()))).message,
                /^m1: FOREIGN_SOFTWARE/,
            );
        });
    });

    describe("that another cluster has by now", () => {
        for (const what of ["host", "node"] as const) {
            it(`is left alone when its ${what} is deleted, though our notes are still on it`, async () => {
                await make("m1");
                const made = await make("w1");
                becomesForeign("w1", `memberOf=${identity.clusterId}\nnoted=${identity.clusterId} w1\n`);
                const { commands } = fleet.node("w1");
                const before = commands.length;
                const context = listener();
                if (what === "host") await host.delete(made.host.id, made.host.outs, context);
                else await node.delete(made.node.id, made.node.outs, context);
                assert.match(
                    context.warned.join(),
                    /w1: nothing was undone there: the machine belongs to another cluster/,
                );
                onlyLookedAt("w1", before);
            });
        }

        it("is refused by an update", async () => {
            const made = await make("m1");
            becomesForeign("m1");
            const before = fleet.node("m1").commands.length;
            const news = of("m1", { labels: { a: "b" } });
            assert.match(
                (await failureOf(node.update("id", made.node.outs, news.node, listener()))).message,
                /FOREIGN_NODE/,
            );
            assert.match(
                (await failureOf(host.update("id", made.host.outs, news.host, listener()))).message,
                /FOREIGN_NODE/,
            );
            onlyLookedAt("m1", before);
        });

        it("is found when it changed while the node was drained", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            fleet.node("m1").onScript(({ stdin }) => {
                if (stdin.includes("kubectl drain")) becomesForeign("w1");
                return {};
            });
            assert.match((await failureOf(node.delete(made.id, made.outs, listener()))).message, /w1: FOREIGN_NODE/);
            assert.ok(!fleet.node("w1").commands.some(call => call.stdin.includes("kubeadm reset -f --skip")));
        });
    });

    it("is not taken for the same machine by another way that leads to a blank one", async () => {
        const made = await host.create(of("w1").host, listener());
        const news = of("w1").host;
        const failure = await failureOf(
            host.update(
                made.id,
                made.outs,
                { ...news, connection: { ...target("m2"), host: "localhost" } },
                listener(),
            ),
        );
        assert.match(failure.message, /^w1: INVALID_INPUT[\s\S]*is not the machine that was prepared/);
    });

    describe("that do not let us in", () => {
        const closed = {
            AUTHENTICATION_FAILED: () => ({ ...target("m1"), privateKey: undefined, password: "wrong" }),
            HOST_KEY_CHANGED: () => ({ ...target("m1"), hostKey: fleet.node("m2").hostKey }),
            SUDO_REFUSED: () => ({ ...target("m1"), user: "nobody" }),
        };
        for (const [code, connection] of Object.entries(closed)) {
            it(`fail to be destroyed with ${code}, and say how they are given up`, async () => {
                const { host: made } = await make("m1");
                await endRun();
                const state = { ...made.outs, connection: connection() };
                const failure = await failureOf(host.delete(made.id, state, listener()));
                assert.match(failure.message, new RegExp(`^m1: .*${code}`));
                assert.ok(failure.message.includes(`NFV_GIVE_UP=${identity.clusterId}/m1`), failure.message);
                assert.ok(fleet.node("m1").agent.journal["host.sysctls"]);
            });
        }

        it("fail to be destroyed when they are silent, too: they may live", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            assert.match(
                (await failureOf(host.delete(made.id, made.outs, listener()))).message,
                /^m1: .*CONNECT_FAILED/,
            );
        });

        it("are left alone when they are given up by their whole name, and listed when the cluster's keys go", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            process.env[giveUpVariable] = `m1,${identity.clusterId}/m2`;
            await failureOf(host.delete(made.id, made.outs, listener()));
            process.env[giveUpVariable] = `${identity.clusterId}/m2, ${identity.clusterId}/m1`;
            await host.delete(made.id, made.outs, listener());
            const context = listener();
            await clusterIdResource.delete(identity.clusterId, identity, context);
            assert.match(context.warned.join(), /left as found[\s\S]*m1 \(127\.0\.0\.1\): it was given up/);
        });

        it("do not hold up a node that leaves by a master that was not given up", async () => {
            await make("m1");
            await make("m2");
            const { node: made } = await make("w1");
            for (const master of ["m1", "m2"]) await fleet.node(master).powerOff();
            process.env[giveUpVariable] = `${identity.clusterId}/m2`;
            const failure = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.match(failure.message, /NO_CONTROL_PLANE\s+m1: .*\n.*Start one of these masters/);
        });
    });

    describe("a node that its cluster has forgotten", () => {
        const known = (name: string, answer: string) =>
            fleet
                .node(name)
                .on(argv => argv[3] === "pulumi-nfv-known", { stdout: `answer:${answer}\n` })
                .on(knownNodesArgv, { stdout: `${answer}\nanswer\n` });

        const members = ["m1", "m2"].map((name, i) => ({ ID: i + 1, name, peerURLs: [], clientURLs: [name] }));
        const etcdOfBoth = ({ stdin }: { stdin: Buffer }) =>
            stdin.includes("member list") ? { stdout: `${JSON.stringify({ members })}\n[]\n` } : {};

        it("is not dropped by a refresh: its join is to be done again", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            known("m1", "");
            const seen = await node.read(made.id, made.outs, listener());
            assert.equal(seen.id, made.id);
            assert.equal(seen.props!.done["cluster.join"], undefined);
            assert.equal(node.diff(made.id, seen.props!, of("w1").node).changes, true);
        });

        it("is reset as a worker, and joins again", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            known("m1", "");
            const { props } = await node.read(made.id, made.outs, listener());
            const begun = fleet.begun().length;
            const { outs } = await node.update(made.id, props!, of("w1").node, listener());
            assert.ok(fleet.node("w1").commands.some(call => call.stdin.includes("kubeadm reset")));
            assert.ok(fleet.begun().slice(begun).includes("w1 cluster.join"));
            assert.deepEqual(outs.done, made.outs.done);
        });

        it("is registered as a master, whose member of etcd lives on, and gets its labels", async () => {
            await make("m1");
            const { node: made } = await make("m2");
            for (const name of ["m1", "m2"]) {
                known(name, "");
                fleet.node(name).onScript(etcdOfBoth);
            }
            const { props } = await node.read(made.id, made.outs, listener());
            const before = fleet.node("m2").commands.length;
            await node.update(made.id, props!, of("m2").node, listener());
            const later = fleet.node("m2").commands.slice(before);
            assert.ok(later.some(call => call.stdin.includes("mark-control-plane")));
            assert.ok(!later.some(call => call.stdin.includes("kubeadm reset -f --skip")));
        });

        for (const [masters, advice, never] of [
            [["m1", "m2"], /while another master lives.*--replace/, /do not replace/],
            [["m1"], /only master, so do not replace it/, /--replace/],
        ] as const) {
            it(`that cannot be registered is told what is safe with ${masters.length} masters`, async () => {
                const { node: made } = await make("m1");
                known("m1", "");
                const { props } = await node.read(made.id, made.outs, listener());
                fleet
                    .node("m1")
                    .onScript(call =>
                        call.stdin.includes("mark-control-plane")
                            ? { code: 1, stderr: "kubelet did not register" }
                            : etcdOfBoth(call),
                    );
                const news = of("m1").node;
                const controlPlane = news.controlPlane.filter(peer => masters.some(name => name === peer.name));
                const updating = node.update(made.id, props!, { ...news, controlPlane }, listener());
                const { message } = await failureOf(updating);
                assert.match(message, advice);
                assert.doesNotMatch(message, never);
            });
        }
    });
});
