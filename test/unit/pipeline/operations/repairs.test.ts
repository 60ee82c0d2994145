import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { refusals } from "../../../../pipeline/plan/guards";
import { planOf } from "../../../../pipeline/plan/plan";
import { acted, controlPlane, startOf, worker } from "../engine-events";

const nodes = { m1: controlPlane, w1: worker, w2: worker };
const steps = { "set labels and taints": "a1", "apply kubelet settings": "b1", "set kernel parameters": "c1" };
const start = acted("same", "OperationStart", "core", { old: startOf({ nodes }), next: startOf({ nodes }) });

interface Machine {
    state?: object;
    before?: object;
    after?: object;
}

/** An update of w1's Node whose steps are all recorded as done; state and inputs as the engine shows them. */
function update({ state = {}, before = {}, after = {} }: Machine = {}): EngineEvent {
    const spec = (more: object) => JSON.stringify({ name: "w1", role: "worker", steps, ...more });
    const done = JSON.stringify(
        Object.fromEntries(Object.entries(steps).map(([title, print]) => [`id ${title}`, print])),
    );
    const { spec: ofBefore, ...inputsBefore } = before as { spec?: object };
    const { spec: ofAfter, ...inputsAfter } = after as { spec?: object };
    return acted("update", "Node", "core-w1", {
        old: {
            inputs: { ...inputsBefore, spec: spec(ofBefore ?? {}) },
            outputs: { spec: spec(ofBefore ?? {}), done, secrets: "[secret]", ...inputsBefore, ...state },
        },
        next: { inputs: { ...inputsAfter, spec: spec(ofAfter ?? {}) } },
    });
}

const drifted = (title: string, fingerprint: string, disruptive?: string) => ({
    [`id ${title}`]: { title, fingerprint, lines: ["x differs"], ...(disruptive && { disruptive }) },
});
const kubelet = drifted("apply kubelet settings", "b1", "kubelet restarts: pods go on");
const sysctl = drifted("set kernel parameters", "c1");

const plan = (...events: EngineEvent[]) => planOf("dev", [start, ...events]);
const disrupted = (machine: Machine) => plan(update(machine)).nodes[0]!.disruptions;
const stopped = (machine: Machine) => refusals(plan(update(machine)), { maxDisruption: { workers: 0 } }).length;

describe("repairs in a plan", () => {
    it("count drift that is put back by what the step interrupts", () => {
        assert.deepEqual(disrupted({ state: { drift: kubelet } }), ["kubelet restarts: pods go on"]);
        assert.equal(stopped({ state: { drift: kubelet } }), 1);
        assert.deepEqual(plan(update({ state: { drift: sysctl } })).nodes[0]!.steps, [
            { title: "set kernel parameters", fingerprint: "c1" },
        ]);
        assert.equal(stopped({ state: { drift: sysctl } }), 0, "it interrupts nothing");
    });

    it("leave out drift that the program accepts", () => {
        const accepted = { acceptDrift: ["id apply kubelet settings"] };
        assert.equal(stopped({ state: { drift: kubelet }, after: accepted }), 0);
    });

    it("count a cure, and what a run that did not end has left", () => {
        assert.equal(stopped({ state: { pending: ["free etcd's space: it is full"] } }), 1);
        assert.equal(stopped({ state: { pending: ["apply kubelet settings"] } }), 1);
        assert.equal(stopped({ state: { pending: ["set labels and taints"] } }), 0);
    });

    it("count certificates that are due", () =>
        assert.equal(stopped({ state: { certificates: { "kubelet.crt": "2020-01-01T00:00:00Z" } } }), 1));

    const doubts: [string, Machine][] = [
        ["may have a change that was taken back", { before: { changeNumber: 1 }, after: { changeNumber: 3 } }],
        ["is looked at again", { before: { changeNumber: 1 }, after: { changeNumber: 2 } }],
        ["had its heal taken back", { before: {}, after: { heal: 2, healWithdrawn: true } }],
        ["has an input that the plan does not know", { before: { novel: 1 }, after: { novel: 2 } }],
        ["changes without any reason that can be seen", {}],
    ];
    for (const [title, machine] of doubts)
        it(`count a node that ${title}`, () => assert.equal(stopped(machine), 1, JSON.stringify(disrupted(machine))));

    const harmless: [string, Machine][] = [
        ["another deadline for drains", { before: { spec: { drain: 1 } }, after: { spec: { drain: 2 } } }],
        ["another login", { before: { spec: { login: "a" } }, after: { spec: { login: "b" } } }],
        [
            "another name of its resource",
            { state: { spec: JSON.stringify({ steps, resourceUrn: "urn:x::y::t::former" }) } },
        ],
    ];
    for (const [title, machine] of harmless)
        it(`do not count ${title}`, () => assert.equal(stopped(machine), 0, JSON.stringify(disrupted(machine))));

    const version = "switch to the Kubernetes version";
    const moving = { spec: { kubernetesVersion: "1.34.5", steps: { ...steps, [version]: "e2" } } };
    const wanted = { before: moving, after: moving };
    const at4 = JSON.stringify({ name: "w1", role: "worker", kubernetesVersion: "1.34.4", steps });
    const moves = /^it switches to Kubernetes 1\.34\.5: kubelet and static pods restart$/;

    it("count a node that moves to another version, also where its inputs have it from a run that held it back", () => {
        const released = { state: { spec: at4 }, ...wanted, before: { ...moving, upgradeTurn: { holds: true } } };
        assert.match(disrupted(released).join(), moves);
        assert.equal(stopped(released), 1);
        const held = { ...released, after: { ...moving, upgradeTurn: { holds: true } } };
        assert.deepEqual(disrupted(held), []);
    });

    it("count a node that is brought back to its version", () => {
        assert.match(disrupted({ state: { drift: drifted(version, "e2") }, ...wanted }).join(), moves);
        assert.match(disrupted({ state: { pending: [version] }, ...wanted }).join(), moves);
    });

    it("count steps that are not known yet", () => {
        const open = update();
        open.resourcePreEvent!.metadata.new!.inputs = { spec: { name: "w1", role: "worker", steps: "04da6b54" } };
        assert.equal(refusals(plan(open), { maxDisruption: { workers: 0 } }).length, 1);
    });
});

describe("the hash of a plan, of repairs", () => {
    it("covers which drift is put back, on nodes and in the cluster, and which cures there are", () => {
        const network = (outputs: object) =>
            acted("update", "ClusterNetwork", "core", {
                old: { inputs: {}, outputs: { spec: "{}", done: "{}", ...outputs } },
                next: { inputs: { spec: JSON.stringify({ steps: {} }) } },
            });
        const all = [
            [update({ state: { drift: sysctl } })],
            [update({ state: { drift: { ...sysctl, ...kubelet } } })],
            [update({ state: { drift: drifted("set kernel parameters", "c2") } })],
            [update({ state: { pending: ["set labels and taints"] } })],
            [network({ drift: drifted("apply CoreDNS", "1") })],
            [network({ drift: drifted("apply kube-proxy", "1") })],
            [network({ pending: ["apply CoreDNS"] })],
        ].map(events => plan(...events).hash);
        assert.equal(new Set(all).size, all.length);
    });

    it("covers what is put back of other packages: which inputs, or, where the package does not say, what it has now", () => {
        const instance = "openstack:compute/instance:Instance";
        const found = { old: { outputs: { flavorName: "big" } }, next: { inputs: { flavorName: "small" } } };
        const drifted = (outputs: object, said: object) => {
            const event = acted("update", instance, "core-w1", { ...found, old: { outputs } });
            Object.assign(event.resourcePreEvent!.metadata, said);
            return event;
        };
        const path = (name: string) => ({ detailedDiff: { [name]: { diffKind: "update", inputDiff: false } } });
        const all = [
            drifted({ flavorName: "big" }, path("metadata.a")),
            drifted({ flavorName: "big" }, path("metadata.b")),
            drifted({ flavorName: "big" }, { diffs: ["flavorName"] }),
            drifted({ flavorName: "big" }, { diffs: ["tags"] }),
            drifted({ flavorName: "big" }, {}),
            drifted({ flavorName: "huge" }, {}),
        ].map(event => plan(event).hash);
        assert.equal(new Set(all).size, all.length);
        // What a cluster writes into an object all the time is no drift.
        const version = (resourceVersion: string) => plan(drifted({ resourceVersion }, path("spec.replicas"))).hash;
        assert.equal(version("1"), version("2"));
    });
});
