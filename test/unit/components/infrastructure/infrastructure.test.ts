import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { KubernetesClusterArgs } from "../../../../components/args";
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
            wishes: pulumi.output<Record<string, string>>({}),
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

describe("the machines of an infrastructure", function () {
    this.timeout(60_000);

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
        assert.ok(nodesOf(machines).every(({ server, identifiedBy }) => !server && identifiedBy));
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
