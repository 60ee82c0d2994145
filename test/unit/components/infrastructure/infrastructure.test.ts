import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { nodesOf } from "../../../../components/infrastructure/infrastructure";
import { infrastructureOf } from "../../../../components/infrastructure/select";
import { projectRoot } from "../../../support/user-project";
import { record } from "../recorder";
import { clusterArgs } from "../sample-args";
import { cloudArgs } from "./openstack/sample-cloud-args";

class Cluster extends pulumi.ComponentResource {
    constructor() {
        super("test:index:Cluster", "core");
    }
}

const answers = {
    outputs: (type: string) => ({
        ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
        ...(type.endsWith(":OperationStart") && { generations: {} }),
    }),
};

const compared = { kubernetesVersion: "1.34.4", endpoint: "", settings: {} };
const clusterId = pulumi.output("core-1a2b3c4d");

async function provisioned(args: KubernetesClusterArgs) {
    const program = () => {
        const infrastructure = infrastructureOf({ name: "core", args, parent: new Cluster() });
        const { machines } = infrastructure.provision({
            clusterId,
            fingerprintKey: pulumi.output("key"),
            compared,
            kept: pulumi.output("{}"),
        });
        return { infrastructure, machines };
    };
    const { resources, result } = await record("preview", program, answers);
    return { ...result, resources, types: resources.map(({ type }) => type.split(":").at(-1)!) };
}

const withJump = { access: { jumpServer: { flavor: "small" } } };
const asHeat = ({ infrastructure: { nova }, ...others }: KubernetesClusterArgs): KubernetesClusterArgs => ({
    ...others,
    infrastructure: { heat: nova! },
});
const onCloud = cloudArgs(withJump, { controlPlane: { count: 3 }, pools: { b: { count: 1 }, a: { count: 11 } } });

describe("the machines of an infrastructure", () => {
    const workers = Array.from({ length: 11 }, (_, i) => `core-a-${i + 1}`);
    const names = [...[1, 2, 3].map(i => `core-control-plane-${i}`), ...workers, "core-b-1"];
    for (const [kind, args] of Object.entries({ nova: onCloud, heat: asHeat(onCloud) })) {
        it(`${kind}: servers, control plane first, then pool by pool in natural order, and the jump server, which is no node`, async () => {
            const { machines, infrastructure } = await provisioned(args);
            assert.deepEqual(
                nodesOf(machines).map(({ name }) => name),
                names,
            );
            assert.deepEqual(new Set(infrastructure.nodes.map(({ name }) => name)), new Set(names));
            const others = machines.filter(({ purpose }) => purpose !== "node");
            assert.deepEqual(
                others.map(({ name, purpose }) => [name, purpose]),
                [["core-jump", "jump"]],
            );
            assert.ok(nodesOf(machines).every(({ server, programPath }) => server && programPath === undefined));
        });
    }

    const choosing = (workers: object) =>
        cloudArgs({}, { controlPlane: { count: 1 }, pools: { workers: { count: 2, ...workers } } });
    const onMachines = (workers: object) => ({ ...clusterArgs(1, { workers: 3 }), pools: { workers } });
    const ways: Record<string, [args: (workers: object) => KubernetesClusterArgs, prefix: string]> = {
        hosts: [workers => onMachines({ count: 2, ...workers }), "workers"],
        nova: [choosing, "core-workers"],
        heat: [workers => asHeat(choosing(workers)), "core-workers"],
    };
    for (const [kind, [args, prefix]] of Object.entries(ways)) {
        const specOf = async (workers: object) => {
            const { machines, resources } = await provisioned(args(workers));
            const { spec } = resources.find(({ label }) => label === "OperationStart core")!.inputs;
            return { names: machines.slice(1).map(({ name }) => name), spec: JSON.parse(JSON.stringify(spec)) };
        };

        it(`${kind}: without the nodes that remove names, which the operation keeps`, async () => {
            const { names: left, spec } = await specOf({ remove: [`${prefix}-2`] });
            assert.deepEqual(left, [`${prefix}-1`, `${prefix}-3`]);
            const kept = typeof spec === "string" ? JSON.parse(spec) : spec;
            assert.deepEqual(kept.removed, { "pools.workers": [`${prefix}-2`] });
        });

        it(`${kind}: nothing is added to the operation where the program does not choose`, async () => {
            const { spec } = await specOf({});
            assert.doesNotMatch(JSON.stringify(spec), /removed|poolDrains/);
        });
    }

    it("heat: the operation, which drains, gets the drains of the pools", async () => {
        const { resources } = await provisioned(asHeat(choosing({ drain: { timeoutSeconds: 900 } })));
        const { spec } = resources.find(({ label }) => label === "OperationStart core")!.inputs;
        const { drain, poolDrains } = typeof spec === "string" ? JSON.parse(spec) : (spec as any);
        assert.deepEqual(drain, { timeoutSeconds: 300, policy: "fail" });
        assert.deepEqual(poolDrains, { workers: { timeoutSeconds: 900, policy: "fail" } });
    });

    it("nova: all servers, the jump server too, are deleted after the guard that refuses another project", async () => {
        const { resources } = await provisioned(onCloud);
        const instances = resources.filter(({ type }) => type.endsWith(":Instance")).map(({ label }) => label);
        assert.equal(instances.length, names.length + 1);
        const { after } = resources.find(({ label }) => label === "ProjectGuard core")!;
        assert.deepEqual(after.filter(label => label.startsWith("Instance ")).sort(), instances.sort());
    });

    it("hosts: what the program names, in the same order, and no server that a cloud could be asked about", async () => {
        const { machines, types } = await provisioned(clusterArgs(3, { b: 1, a: 11 }));
        const order = ["m1", "m2", "m3", ...Array.from({ length: 11 }, (_, i) => `a-${i + 1}`), "b-1"];
        assert.deepEqual(
            machines.map(({ name }) => name),
            order,
        );
        assert.ok(nodesOf(machines).every(({ server }) => !server));
        assert.deepEqual(types, ["Cluster", "OperationStart"]);
    });

    it("are known by name before anything is made", async () => {
        const { result } = await record(
            "preview",
            () => infrastructureOf({ name: "core", args: clusterArgs(1, { a: 2 }), parent: new Cluster() }),
            answers,
        );
        assert.deepEqual(
            result.nodes.map(({ name, role, pool }) => [name, role, pool]),
            [
                ["m1", "controlPlane", undefined],
                ["a-1", "worker", "a"],
                ["a-2", "worker", "a"],
            ],
        );
    });
});

describe("the parts of a cluster", () => {
    it("do not know where machines come from: no file names a kind of infrastructure", () => {
        const folder = join(projectRoot, "components/kubernetes-cluster");
        const naming = readdirSync(folder).filter(file =>
            /\b(heat|nova|tacker)\b|infrastructure\.(hosts|heat|nova)\b/i.test(
                readFileSync(join(folder, file), "utf8"),
            ),
        );
        assert.deepEqual(naming, []);
    });
});
