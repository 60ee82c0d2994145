import assert from "node:assert/strict";
import { operationEnd, operationEndSteps } from "../../../../../provider/cluster/operation-end";
import type { OperationEndInputs } from "../../../../../provider/cluster/operation-end-inputs";
import type { EndpointSpec } from "../../../../../provider/common/model";
import { formersFile } from "../../../../../provider/endpoint/side-by-side";
import { host } from "../../../../../provider/host/host";
import { machineStatusArgv } from "../../../../../provider/kubeadm/look";
import { moveEndpoint } from "../../../../../provider/procedures/endpoint/endpoint-move";
import { endpointArgv } from "../../../../../provider/procedures/endpoint/move-endpoint";
import { plan, stepTitles } from "../../../../../provider/steps";
import { FakeFleet } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import { vipEndpoint } from "../../sample-specs";
import { endRun, listener, machine, testIdentity } from "../../support/cluster";

const former: EndpointSpec = {
    host: "10.99.0.101",
    port: 8443,
    vip: { address: "10.99.0.101", prefixLength: 24, interface: "", virtualRouterId: 78 },
};
const external: EndpointSpec = { host: "api.site", port: 6443 };
const names = ["m1", "m2", "m3", "w1", "w2"];
const ownServer = "https://10.99.0.11:6443";

/** How each of our scripts for the move is recognised. */
const kinds: Record<string, string> = {
    prove: 'get --raw /readyz >/dev/null\nanswers_at "$URL"',
    tell: "configmap cluster-info",
    move: "systemctl stop kubelet.service",
    "take away": "without_former /etc/hosts",
    "free address": "validatingadmissionpolicybindings",
};

/** A node that moves as a real one does: it uses one endpoint, and has a note of the former one. */
interface State {
    server: string;
    noted: boolean;
}

describe("the move to another endpoint", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    let states: Record<string, State>;
    let done: string[];
    /** Nodes that still used the former endpoint when it was removed somewhere. */
    let cutOff: string[];
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const peers = (...list: string[]) =>
        list.map(name => ({ name, connection: target(name), ...(name.startsWith("m") && { address: "10.99.0.11" }) }));

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        [done, cutOff] = [[], []];
        states = Object.fromEntries(names.map(name => [name, { server: "https://10.99.0.101:8443", noted: true }]));
        for (const name of names) {
            const node = fleet.node(name);
            node.on(machineStatusArgv, {
                stdout: `memberOf=${identity.clusterId}\napiReady=yes\nnoted=${identity.clusterId} ${name}\n`,
            });
            node.on(endpointArgv, () => {
                const { server, noted } = states[name]!;
                const local = name.startsWith("m") ? `server=${ownServer}\n` : "";
                return { stdout: `${local}server=${server}\n${noted ? `former=${JSON.stringify(former)}\n` : ""}` };
            });
            node.onScript(({ stdin }) => {
                const text = stdin.toString();
                const kind = Object.keys(kinds).find(each => text.includes(kinds[each]!));
                if (kind === undefined) return {};
                done.push(`${kind} ${name}`);
                const url = /URL='?([^'\n]+)'?\n/.exec(text)![1]!;
                if (kind === "move") states[name]!.server = url;
                if (kind !== "take away") return {};
                states[name]!.noted = false;
                cutOff.push(...names.filter(each => states[each]!.server !== url));
                return {};
            });
        }
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    const move = (endpoint = vipEndpoint, context = listener()) =>
        moveEndpoint(
            {
                clusterId: identity.clusterId,
                endpoint,
                controlPlane: peers("m1", "m2", "m3"),
                workers: peers("w1", "w2"),
            },
            context,
        );
    const inOrder = [
        ...["prove m1", "prove m2", "prove m3", "tell m1"],
        ...["move m1", "move m2", "move m3", "move w1", "move w2"],
        ...["take away m1", "prove m1", "take away m2", "prove m2", "take away m3", "prove m3"],
        ...["take away w1", "free address m1", "take away w2"],
    ];
    /** The former endpoint stays everywhere as long as one node uses it. */
    const nothingIsCutOff = () => assert.deepEqual(cutOff, []);

    it("proves, tells the cluster, moves node after node, and only then takes the former one away", async () => {
        await move();
        assert.deepEqual(done, inOrder);
        done = [];
        await move();
        assert.deepEqual(done, [], "all are there: it only looks");
    });

    it("changes nothing on nodes that never were elsewhere", async () => {
        for (const state of Object.values(states))
            Object.assign(state, { server: "https://10.0.0.100:16443", noted: false });
        await move();
        assert.deepEqual(done, []);
    });

    it("goes on after it was killed, whichever script was the last one", async () => {
        for (const last of inOrder) {
            for (const state of Object.values(states))
                Object.assign(state, { server: "https://10.99.0.101:8443", noted: true });
            done = [];
            const killed = new AbortController();
            const watch = setInterval(() => done.includes(last) && killed.abort(), 1);
            await move(vipEndpoint, { ...listener(), signal: killed.signal } as never).catch(() => {});
            clearInterval(watch);
            assert.ok(done.includes(last), last);
            await move();
            nothingIsCutOff();
            for (const [name, { server, noted }] of Object.entries(states)) {
                assert.deepEqual([server, noted], ["https://10.0.0.100:16443", false], `${name} after ${last}`);
            }
        }
    });

    it("names a worker that is off; all others move, and the former one stays until it has moved, too", async () => {
        await fleet.node("w1").powerOff();
        await assert.rejects(move(), (error: Error) => {
            assert.match(error.message, /ENDPOINT_UNFINISHED[\s\S]*all others have moved[\s\S]*w1: /);
            return true;
        });
        assert.deepEqual(done, [...inOrder.slice(0, 7), "move w2"]);
        assert.ok(Object.values(states).every(({ noted }) => noted));
        await fleet.node("w1").powerOn();
        done = [];
        await move();
        assert.ok(done.includes("move w1"));
        nothingIsCutOff();
    });

    it("moves nothing while a master does not answer", async () => {
        await fleet.node("m2").powerOff();
        await assert.rejects(move(), /ENDPOINT_UNFINISHED[\s\S]*nothing was moved[\s\S]*m2: /);
        assert.deepEqual(done, []);
    });

    it("moves nothing where the new endpoint does not answer at one of the masters", async () => {
        fleet.node("m2").onScript({
            code: 1,
            stderr: "the API does not answer at https://10.0.0.100:16443\n",
        });
        await assert.rejects(move(), /m2: prove the endpoint: STEP_FAILED[\s\S]*does not answer at/);
        assert.deepEqual(done, ["prove m1"]);
    });

    it("stops at the first node that is not Ready behind its move", async () => {
        fleet.node("w1").onScript({ code: 1, stderr: "kubelet did not come back\n" });
        await assert.rejects(move(), /w1: move the node to the endpoint: STEP_FAILED/);
        assert.ok(!done.includes("move w2") && !done.some(line => line.startsWith("take")));
    });

    it("forgets the load balancer's steps where the masters carry none any more: they run again with the next one", async () => {
        for (const name of names) fleet.node(name).agent.journal["host.haproxy"] = { fingerprint: "x" } as never;
        await move(external);
        for (const name of names) assert.equal(fleet.node(name).agent.journal["host.haproxy"], undefined, name);
    });

    describe("in the resources", () => {
        const end = (endpoint: EndpointSpec): OperationEndInputs => {
            const { clusterId, fingerprintKey } = identity;
            const spec = { clusterId, endpoint, nodes: { m1: "1.34.4" }, nodeIds: { m1: "id" } };
            const steps = stepTitles(plan(operationEndSteps, spec, fingerprintKey));
            return { spec, steps, fingerprintKey, controlPlane: peers("m1", "m2", "m3"), workers: peers("w1", "w2") };
        };

        it("is a change of OperationEnd, done once and noted; a refresh finds one that did not end", async () => {
            const note = (noted: boolean) => {
                for (const state of Object.values(states)) state.noted = noted;
            };
            note(false);
            const { id, outs } = await operationEnd.create(end(former), listener());
            assert.deepEqual(done, []);
            note(true);
            assert.equal(operationEnd.diff(id, outs, end(former)).changes, false);
            assert.equal(operationEnd.diff(id, outs, end(vipEndpoint)).changes, true);
            const updated = await operationEnd.update(id, outs, end(vipEndpoint), listener());
            assert.deepEqual(done, inOrder);
            assert.equal(operationEnd.diff(id, updated.outs, end(vipEndpoint)).changes, false);
            const still = await operationEnd.read(id, updated.outs, listener());
            assert.equal(operationEnd.diff(id, still.props!, end(vipEndpoint)).changes, false);
            states["m2"]!.noted = true;
            const { props } = await operationEnd.read(id, updated.outs, listener());
            assert.equal(operationEnd.diff(id, props!, end(vipEndpoint)).changes, true);
        });

        it("runs also on the way back, where the state of a killed run knows of no way there", async () => {
            const { id, outs } = await operationEnd.create({ ...end(vipEndpoint), endpointNumber: 0 }, listener());
            for (const state of Object.values(states))
                Object.assign(state, { server: "https://10.99.0.101:8443", noted: true });
            done = [];
            const back = { ...end(vipEndpoint), endpointNumber: 2 };
            assert.equal(operationEnd.diff(id, outs, back).changes, true);
            const updated = await operationEnd.update(id, outs, back, listener());
            assert.deepEqual(done, inOrder);
            assert.equal(operationEnd.diff(id, updated.outs, back).changes, false);
        });

        it("keeps what it had where it fails, so that the next run does it", async () => {
            const { id, outs } = await operationEnd.create(end(former), listener());
            await fleet.node("w1").powerOff();
            await assert.rejects(operationEnd.update(id, outs, end(vipEndpoint), listener()), /ENDPOINT_UNFINISHED/);
            assert.equal(operationEnd.diff(id, outs, end(vipEndpoint)).changes, true);
        });
    });

    describe("of a Host", () => {
        const masters = () => ({ m1: target("m1"), m2: target("m2") });
        const inputs = (endpoint: EndpointSpec) => {
            const { host: made } = machine(identity, "m1", "controlPlane", target("m1"), masters());
            return { ...made, spec: { ...made.spec, endpoint } };
        };
        const withSteps = (endpoint: EndpointSpec) => {
            const made = inputs(endpoint);
            const { hostSteps } =
                require("../../../../../provider/host/host-steps") as typeof import("../../../../../provider/host/host-steps");
            return { ...made, steps: stepTitles(plan(hostSteps, made.spec, made.fingerprintKey)) };
        };
        const scripts = () => {
            const text = fleet.node("m1").agent.scripts["endpoint.note-former"];
            return text?.includes(formersFile) ? [text] : [];
        };

        it("that is a member notes the former one before its first step, and serves both; nothing is to do behind it", async () => {
            const { id, outs } = await host.create(withSteps(former), listener());
            assert.deepEqual(scripts(), []);
            const news = withSteps(vipEndpoint);
            assert.deepEqual(host.diff(id, outs, news).replaces, []);
            const updated = await host.update(id, outs, news, listener());
            assert.match(scripts()[0]!, /"host":"10\.99\.0\.101"/);
            assert.match(String(fleet.node("m1").agent.scripts["host.haproxy"]), /bind \*:16443[\s\S]*bind \*:8443/);
            assert.equal(host.diff(id, updated.outs, news).changes, false);
        });

        it("goes on serving what a run that did not end has noted there", async () => {
            const { id, outs } = await host.create(withSteps(former), listener());
            const third = { ...external };
            fleet.node("m1").on(machineStatusArgv, {
                stdout: `memberOf=${identity.clusterId}\nnoted=${identity.clusterId} m1\nformer=${JSON.stringify(third)}\n`,
            });
            await host.update(id, outs, withSteps(vipEndpoint), listener());
            assert.match(scripts()[0]!, /10\.99\.0\.101[\s\S]*api\.site/);
        });

        it("looks at its journal on the way back, also where its state knows of no way there", async () => {
            const { id, outs } = await host.create({ ...withSteps(former), changeNumber: 0 }, listener());
            await host.update(id, outs, { ...withSteps(vipEndpoint), changeNumber: 1 }, listener());
            const back = { ...withSteps(former), changeNumber: 2 };
            assert.equal(host.diff(id, outs, back).changes, true);
            await host.update(id, outs, back, listener());
            const config = String(fleet.node("m1").agent.scripts["host.haproxy"]);
            assert.match(config, /frontend kubernetes-api\n {4}bind \*:8443\n/);
        });

        it("that is no member yet takes the new one alone: a wrong one may be corrected", async () => {
            fleet.node("m1").on(machineStatusArgv, { stdout: `memberOf=\nnoted=${identity.clusterId} m1\n` });
            const { id, outs } = await host.create(withSteps(former), listener());
            await host.update(id, outs, withSteps(vipEndpoint), listener());
            assert.deepEqual(scripts(), []);
            assert.doesNotMatch(String(fleet.node("m1").agent.scripts["host.haproxy"]), /8443/);
        });

        it("is updated also where no step hangs on the endpoint: others may use the former one", async () => {
            const { id, outs } = await host.create(withSteps(external), listener());
            assert.equal(host.diff(id, outs, withSteps({ ...external, host: "other.site" })).changes, true);
            assert.equal(host.diff(id, outs, withSteps(external)).changes, false);
        });
    });
});
