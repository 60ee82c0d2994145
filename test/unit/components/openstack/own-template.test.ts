import assert from "node:assert/strict";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args";
import type { HeatTemplateArgs } from "../../../../components/infrastructure-args";
import { unpack } from "../../../../provider/resources/packed";
import { projectRoot } from "../../../support/user-project";
import { isSecret, type Registered, record } from "../recorder";

const fixture = (path: string) => join(projectRoot, "test/unit/components/openstack/hot/fixtures", path);

function args(template: HeatTemplateArgs, more: Partial<KubernetesClusterArgs> = {}): KubernetesClusterArgs {
    return {
        clusterName: "core",
        infrastructure: { heat: { template } },
        kubernetes: { version: "1.34.4" },
        controlPlane: { count: 3 },
        pools: { "edge-workers": { count: 2 } },
        ...more,
    };
}

const explicit = { file: fixture("own-explicit/cluster.yaml"), parameters: { image: "debian" } };
const lists = { file: fixture("own-lists/cluster.yaml"), parameters: { image: "debian", network: "net0" } };

/** As Heat and our own resources answer: each output's value says which it is. */
const outputs = (names: string[]) => (type: string) => {
    const value = (key: string, i: number) => (key === "vip.cidr" ? "10.0.0.0/20" : `10.0.0.${i + 1}`);
    const answers: Record<string, Record<string, unknown>> = {
        StackV1: { StackOutputs: names.map((outputKey, i) => ({ outputKey, outputValue: value(outputKey, i) })) },
        ServerKeys: { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" },
        OperationStart: { generations: {} },
    };
    return answers[type.split(":").at(-1)!] ?? {};
};

/** A machine's inputs as its resource sees them. */
const machine = ({ inputs }: Registered) => unpack(inputs, []) as Record<string, any>;

async function made(given: KubernetesClusterArgs, names: string[] = []) {
    const mode = names.length > 0 ? "up" : "preview";
    const { resources } = await record(mode, () => new KubernetesCluster("core", given), { outputs: outputs(names) });
    const find = (label: string): Registered => {
        const found = resources.find(each => each.label === label);
        assert.ok(found, `${label} is not among ${resources.map(each => each.label).join(", ")}`);
        return found;
    };
    const stack = find("StackV1 core");
    const template = parse((stack.inputs["templateOpts"] as { Bin: string }).Bin);
    return { resources, find, stack, template };
}

before(function () {
    // The first program loads Pulumi's SDK.
    this.timeout(60_000);
    return record("up", () => undefined).then(() => undefined);
});

describe("a cluster on servers of the user's template", function () {
    this.timeout(60_000);

    it("hands the flat template to Heat, with its nodes in all their resources", async () => {
        const { find, template, resources } = await made(args(lists));
        const nodes = [1, 2, 3]
            .map(n => `core-control-plane-${n}`)
            .concat("core-edge-workers-1", "core-edge-workers-2");
        const hosts = resources.filter(({ type }) => type.endsWith(":Host")).map(({ label }) => label);
        assert.deepEqual(
            hosts.sort(),
            nodes.map(node => `Host ${node}`),
        );
        assert.deepEqual(Object.keys(template.resources).filter(name => /_server$/.test(name)).length, 5);
        assert.equal(template.resources.masters_1_server.properties.key_name, "core");
        assert.ok(find("Keypair core"));
    });

    it("tells the operation's start where each node is in the stack", async () => {
        const { nodes } = (await made(args(lists))).find("OperationStart core").inputs["spec"] as any;
        assert.deepEqual(nodes["core-edge-workers-2"], {
            role: "worker",
            pool: "edge-workers",
            shape: { image: "debian", flavor: "m1.small" },
            stack: {
                server: "workers_2_server",
                healed: ["workers_2_server"],
                address: "core-edge-workers-2.address",
            },
        });
    });

    it("asks the cloud beforehand for what the template's servers are made of", async () => {
        const { needs } = machine((await made(args(lists))).find("CloudCheck core"));
        const { servers, networksMade } = typeof needs === "string" ? JSON.parse(needs) : needs;
        assert.equal(servers.length, 5);
        assert.deepEqual(servers[0].flavor, { name: "m1.small", path: "infrastructure.heat.template" });
        assert.equal(networksMade, undefined);
    });

    it("reads addresses from the outputs", async () => {
        const names = Object.keys((await made(args(lists))).template.outputs);
        const { spec } = machine((await made(args(lists), names)).find("Host core-edge-workers-2"));
        const address = (output: string) => `10.0.0.${names.indexOf(output) + 1}`;
        assert.equal(spec.address, address("core-edge-workers-2.address"));
        assert.equal(spec.endpoint.host, address("vip.address"));
    });

    it("keeps values that arrive later out of the template, and in the stack's secret parameters", async () => {
        const parameters = { image: "debian", network: pulumi.secret("net-of-later") };
        const { stack } = await made(args({ ...lists, parameters }), ["vip.cidr"]);
        const secret = stack.raw["parameters"] as Record<string, unknown>;
        assert.ok(isSecret(secret) || isSecret(secret["network"]), JSON.stringify(secret));
        assert.equal((stack.inputs["parameters"] as any).network, "net-of-later");
        assert.doesNotMatch((stack.inputs["templateOpts"] as any).Bin, /net-of-later/);
    });

    it("takes the number of nodes from the program", async () => {
        const { template } = await made(args(lists, { pools: { "edge-workers": { count: 4 } } }));
        assert.ok(template.resources.workers_4_server && !template.resources.workers_5_server);
    });

    it("says what is missing where the program and the template disagree", () => {
        const attempt = made(args(explicit, { controlPlane: { count: 3 }, pools: { edge: {} } }));
        return assert.rejects(attempt, /makes 1 masters, the program asks for 3/);
    });

    it("trusts host keys of its own only on servers that get them", async () => {
        const endpoint = { external: { host: "api.test", port: 6443 } };
        const given = args(explicit, { controlPlane: { endpoint }, pools: { edge: {} } });
        const { find } = await made(given, [
            "alpha.address",
            "alpha.serverId",
            "beta.address",
            "beta.serverId",
            "beta.volume.data",
        ]);
        const hostKey = (node: string) => "hostKey" in machine(find(`Host ${node}`)).connection;
        assert.equal(find("OperationStart core").inputs["seed"], undefined);
        assert.deepEqual([hostKey("core-alpha"), hostKey("core-beta")], [true, false]);
    });
});
