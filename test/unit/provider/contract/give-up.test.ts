import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/common/errors";
import { giveUpVariable, notGivenUp, noWholeNames, whatWasLeftAlone } from "../../../../provider/contract/give-up";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { node } from "../../../../provider/member/node";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity, withGivenUp } from "../support/cluster";

const noSpace = { code: 1, stderr: "No space left on device\n" };

describe("a machine that is given up by name", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const make = async (name: string, masters: string[], changes = {}) => {
        const role = name.startsWith("m") ? "controlPlane" : "worker";
        const peers = Object.fromEntries(masters.map(each => [each, target(each)]));
        const inputs = machine(identity, name, role, target(name), peers);
        const madeHost = await host.create(inputs.host, listener());
        return { host: madeHost, node: await node.create({ ...inputs.node, ...changes }, listener()) };
    };
    const givenUp = (names: string[], work: () => Promise<void>) =>
        withGivenUp(names.map(name => `${identity.clusterId}/${name}`).join(), work);

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "w1"] });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    for (const [how, breakIt] of [
        ["cannot even say what it is", () => void fleet.node("w1").on(machineStatusArgv, noSpace)],
        ["cannot be reset", () => void fleet.node("w1").onScript(noSpace)],
    ] as const) {
        it(`and ${how} is left as it is; its error says how to give it up`, async () => {
            await make("m1", ["m1"]);
            const made = await make("w1", ["m1"]);
            const order: string[] = [];
            fleet.node("m1").onScript(({ stdin }) => {
                if (stdin.includes("kubectl delete node")) order.push("delete the node object");
                return {};
            });
            breakIt();
            const hint = new RegExp(
                `w1: .*STEP_FAILED[\\s\\S]*No space left[\\s\\S]*${giveUpVariable}=${identity.clusterId}/w1`,
            );
            await assert.rejects(node.delete(made.node.id, made.node.outs, listener()), hint);
            await assert.rejects(host.delete(made.host.id, made.host.outs, listener()), hint);
            assert.deepEqual(order, []);
            const context = listener();
            await givenUp(["w1"], async () => {
                await node.delete(made.node.id, made.node.outs, context);
                await host.delete(made.host.id, made.host.outs, context);
            });
            assert.deepEqual(order, ["delete the node object"]);
            assert.match(context.warned.join("\n"), /w1: n.* undone there: it was given up: [\s\S]*No space left/);
            const left = whatWasLeftAlone(listener(), identity.clusterId)!;
            assert.match(left, /w1 \(127\.0\.0\.1\): it was given up/);
            assert.match(left, /kubeadm reset -f, then move \/var\/lib\/pulumi-nfv away/);
        });
    }

    describe("in the hint", () => {
        const urn = "urn:pulumi:dev::p::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:Node::core-w2";
        const hintOf = (code: "CONNECT_FAILED" | "HOST_KEY_CHANGED", hint?: string) =>
            notGivenUp(new NfvError({ code, cause: "silent", hint }), "core-1", "w2", urn).hint;

        it("has whole commands, also for a destroy that stopped halfway", () => {
            const hint = hintOf("CONNECT_FAILED");
            for (const part of [
                `pulumi up --target '${urn.replace("nfv:Node", "nfv:Host")}', then pulumi destroy`,
                `${giveUpVariable}=core-1/w2 pulumi up`,
                `${giveUpVariable}=core-1/w2 pulumi destroy`,
                "no longer has it: bring it back",
            ])
                assert.ok(hint.includes(part), hint);
        });

        it("keeps what is said of a host key", () => {
            assert.match(hintOf("HOST_KEY_CHANGED", "set x.ssh.hostKey"), /set x\.ssh\.hostKey/);
        });

        it("is told where the name that was given is not the whole one", () => {
            process.env[giveUpVariable] = "w2, other-2/w2, core-1/m1";
            try {
                assert.match(hintOf("CONNECT_FAILED"), /\(w2, other-2\/w2 is not its whole name\)/);
                assert.match(noWholeNames()!, /: w2 is of no effect/);
                process.env[giveUpVariable] = "core-1/m1,core-1/vim:core,https://10.0.0.9:6443/vim:x";
                assert.equal(noWholeNames(), undefined);
                assert.ok(!hintOf("CONNECT_FAILED").includes("whole name"));
            } finally {
                delete process.env[giveUpVariable];
            }
        });
    });

    it("is forgotten by its cluster before it is reset", async () => {
        await make("m1", ["m1"]);
        const made = await make("w1", ["m1"]);
        const order: string[] = [];
        for (const name of ["m1", "w1"]) {
            fleet.node(name).onScript(({ stdin }) => {
                if (stdin.includes("kubectl delete node")) order.push("delete the node object");
                if (stdin.includes("kubeadm reset")) order.push("reset");
                return {};
            });
        }
        await givenUp(["w1"], () => node.delete(made.node.id, made.node.outs, listener()));
        assert.deepEqual(order, ["delete the node object", "reset"]);
    });

    describe("as the only master, which is silent", () => {
        it("is refused without that, with the name to say: its data may be there", async () => {
            const made = await make("m1", ["m1"]);
            await fleet.node("m1").powerOff();
            const context = listener();
            await assert.rejects(
                node.delete(made.node.id, made.node.outs, context),
                new RegExp(
                    `m1: leave: QUORUM_AT_RISK[\\s\\S]*may be the last master[\\s\\S]*${giveUpVariable}=${identity.clusterId}/m1`,
                ),
            );
            await givenUp(["m1"], () => node.delete(made.node.id, made.node.outs, context));
            assert.match(context.warned.join(), /m1: nothing was undone there: it was given up/);
        });

        it("is refused where the others say that they are no members", async () => {
            fleet.node("w1").on(machineStatusArgv, { stdout: "memberOf=\n" });
            const made = await make("m1", ["m1"]);
            const controlPlane = [...made.node.outs.controlPlane, { name: "m2", connection: target("w1") }];
            await fleet.node("m1").powerOff();
            await assert.rejects(
                node.delete(made.node.id, { ...made.node.outs, controlPlane }, listener()),
                /m1: leave: QUORUM_AT_RISK/,
            );
        });
    });
});
