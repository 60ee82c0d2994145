import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { KubernetesCluster } from "../../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import type { HeatTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import {
    type OwnTemplate,
    templateWarnings,
} from "../../../../../../components/infrastructure/openstack/heat/own-template";
import { expandTemplate, readTemplate, type Value } from "../../../../../../components/infrastructure/openstack/hot";
import { unpack } from "../../../../../../provider/contract/packed";
import { projectRoot } from "../../../../../support/user-project";
import { isSecret, type Registered, record, registered } from "../../../recorder";

const fixture = (path: string) => join(projectRoot, "test/unit/components/infrastructure/openstack/hot/fixtures", path);

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

/** Answers of Heat and of our own resources: each output's value contains its name. */
const outputs = (names: string[]) => (type: string) => {
    const value = (key: string, i: number) => (key === "vip.cidr" ? "10.0.0.0/20" : `10.0.0.${i + 1}`);
    const answers: Record<string, Record<string, unknown>> = {
        StackV1: { StackOutputs: names.map((outputKey, i) => ({ outputKey, outputValue: value(outputKey, i) })) },
        ServerKeys: { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" },
        OperationStart: { generations: {} },
    };
    return answers[type.split(":").at(-1)!] ?? {};
};

/** A machine's inputs as its resource gets them. */
const machine = ({ inputs }: Registered) => unpack(inputs, []) as Record<string, any>;

async function made(given: KubernetesClusterArgs, names: string[] = []) {
    const mode = names.length > 0 ? "up" : "preview";
    const program = () => new KubernetesCluster("core", given);
    const { resources, result: cluster } = await record(mode, program, { outputs: outputs(names) });
    const find = (label: string) => registered(resources, label);
    const stack = find("StackV1 core");
    const template = parse((stack.inputs["templateOpts"] as { Bin: string }).Bin);
    return { resources, find, stack, template, cluster };
}

before(() => {
    // The first program loads Pulumi's SDK.
    return record("up", () => undefined).then(() => undefined);
});

describe("a cluster on servers of the user's template", () => {
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
        assert.equal(template.resources.masters_1_server.properties.key_name, "core-heat");
        assert.ok(find("Keypair core"));
    });

    it("tells the operation's start where each node is in the stack", async () => {
        const { nodes } = (await made(args(lists))).find("OperationStart core").inputs["spec"] as any;
        assert.deepEqual(nodes["core-edge-workers-2"], {
            role: "worker",
            pool: "edge-workers",
            shape: {
                flavor: "m1.small",
                image: "debian",
                availabilityZone: "none",
                keyPair: "none",
                "bootVolume.image": "none",
                "bootVolume.snapshot": "none",
                "bootVolume.volume": "none",
            },
            stack: {
                server: "workers_2_server",
                healed: ["workers_2_server"],
                address: "core-edge-workers-2.address",
            },
        });
    });

    it("tells it the volumes of the template too, for deleteProtection", async () => {
        const { kept } = (await made(args(explicit, { controlPlane: {}, pools: { edge: {} } }))).find(
            "OperationStart core",
        ).inputs["spec"] as any;
        const volumes = Object.values<string>(kept).filter(what => what.startsWith("OS::Cinder::Volume"));
        assert.ok(volumes.length > 0, JSON.stringify(kept));
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

    it("tells the operation's start by hashes what the servers are made of, also where a value arrives late", async () => {
        const parts = async (parameters: HeatTemplateArgs["parameters"]) => {
            const start = (await made(args({ ...lists, parameters }), ["vip.cidr"])).find("OperationStart core");
            assert.ok(!isSecret(start.raw["stackHash"]) && !isSecret(start.raw["spec"]));
            const secret = typeof parameters!["image"] !== "string";
            if (secret) assert.doesNotMatch(JSON.stringify(start.raw), /newest|debian-13/);
            return machine(start)["spec"].parts as Record<string, string>;
        };
        const late = (image: string) => ({ image: pulumi.secret(image), network: "net0" });
        const [before, same, other] = [
            await parts(late("newest")),
            await parts({ image: "newest", network: "net0" }),
            await parts(late("debian-13")),
        ];
        assert.match(before["masters_1_server/image"]!, /^[0-9a-f]{12}$/);
        assert.deepEqual(same, before);
        const changed = Object.keys(before).filter(part => before[part] !== other[part]);
        assert.deepEqual(
            changed,
            [1, 2, 3].map(n => `masters_${n}_server/image`).concat("workers_1_server/image", "workers_2_server/image"),
        );
    });

    it("does not compare in words what arrives late", async () => {
        const parameters = { image: pulumi.output("newest"), network: "net0" };
        const { nodes } = (await made(args({ ...lists, parameters }))).find("OperationStart core").inputs[
            "spec"
        ] as any;
        const { shape } = nodes["core-edge-workers-1"];
        assert.equal("image" in shape, false);
        assert.equal(shape.flavor, "m1.small");
    });

    it("takes the number of nodes from the program", async () => {
        const { template } = await made(args(lists, { pools: { "edge-workers": { count: 4 } } }));
        assert.ok(template.resources.workers_4_server && !template.resources.workers_5_server);
    });

    it("says what is missing where the program and the template disagree", () => {
        const attempt = made(args(explicit, { controlPlane: { count: 3 }, pools: { edge: {} } }));
        return assert.rejects(attempt, /makes 1 masters, the program asks for 3/);
    });

    describe("that would lose more than a lost server", () => {
        const written = (change: (text: string) => string) => {
            const folder = mkdtempSync(join(tmpdir(), "nfv-chain-"));
            const file = join(folder, "cluster.yaml");
            writeFileSync(file, change(readFileSync(explicit.file, "utf8")));
            return made(args({ ...explicit, file }, { controlPlane: {}, pools: { edge: {} } })).finally(() =>
                rmSync(folder, { recursive: true }),
            );
        };

        it("is refused where a server names another one in its scheduler hints", async () => {
            const hint = "scheduler_hints: { different_host: [{ get_resource: alpha }] }";
            await assert.rejects(
                written(text => text.replace(/(\n {2}beta:\n.*\n {4}properties:\n)/, `$1      ${hint}\n`)),
                /the server beta refers to alpha, which belongs to the node alpha[\s\S]*OS::Nova::ServerGroup/,
            );
        });

        it("is refused where Heat makes a port again at every change", async () => {
            const port =
                "  port: { type: OS::Neutron::Port, properties: { network: n, replacement_policy: REPLACE_ALWAYS } }";
            await assert.rejects(
                written(text => text.replace("\noutputs:", `\n${port}\noutputs:`)),
                /would make this port again at every change of the stack/,
            );
        });
    });

    it("says that each of several masters has a port of its own, where that is named as the cluster's", async () => {
        const node = (name: string, aspect: string) => ({
            aspect,
            vdu: name,
            nicConnectionPoint: `${name}_CP1`,
            sshConnectionPoint: `${name}_CP1`,
        });
        const machine = { flavor: "m1.small", image: "debian" };
        const places = ["vip_port", "masterNode_CP1", "workerNode_CP1", "storage_server_CP1"];
        const tacker = {
            userDataClass: "KubernetesClusterUserData",
            masterNode: node("masterNode", "master_instance"),
            workerNodes: { edge: node("workerNode", "worker_instance") },
            clusterConnectionPoint: "masterNode_CP1",
            vdus: { masterNode: machine, workerNode: machine, storage_server: machine },
            connectionPoints: Object.fromEntries(places.map(name => [name, { network: "net0" }])),
        };
        const given = (count: number, more: object = {}) =>
            made(
                args(
                    { file: fixture("v1-ha/top.yaml"), tacker },
                    { controlPlane: { count, ...more }, pools: { edge: { count: 1 } } },
                ),
            );
        await assert.rejects(
            given(3),
            /masterNode_CP1 is the port of the masters themselves: each of the 3 has one[\s\S]*that no server uses/,
        );
        await given(3, { endpoint: { external: { host: "lb.test" } } });
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

    describe("whose ports are not open to pods", () => {
        const warnings = ({ more = {}, pairs }: { more?: Partial<KubernetesClusterArgs>; pairs?: Value } = {}) => {
            const given = args(lists, more);
            const files = readTemplate(lists.file);
            const port = files.nested["node.yaml"]!.resources["port"]!.properties;
            if (pairs !== undefined) port["allowed_address_pairs"] = pairs;
            const stack = expandTemplate(files, undefined, {
                clusterName: "core",
                naming: (_, pool, index) => `${pool ?? "master"}-${index}`,
                counts: { controlPlane: 1, pools: { "edge-workers": 1 } },
                parameters: lists.parameters,
            });
            return templateWarnings({ stack } as OwnTemplate, given);
        };
        const also = { get_param: "also" };

        it("is warned of: its nodes would be Ready, and its pods not reach each other", () => {
            const [warning, ...others] = warnings({ pairs: [{ ip_address: also }] });
            assert.match(
                warning!,
                /ports of master-1, edge-workers-1 drop .*10\.244\.0\.0\/16.*allowed_address_pairs.*flannel/,
            );
            assert.deepEqual(others, []);
        });

        it("is not where they are open, where nobody can know, and where pods' packets travel in nodes' packets", () => {
            const open = [{ ip_address: also }, { ip_address: "10.240.0.0/12" }];
            assert.deepEqual(warnings({ pairs: open }), []);
            assert.deepEqual(warnings({ pairs: { get_attr: ["server", "name"] } }), []);
            assert.deepEqual(warnings({ pairs: [], more: { network: { cni: "flannel" } } }), []);
            assert.equal(warnings({ pairs: open, more: { network: { podCidr: "10.0.0.0/9" } } }).length, 1);
        });
    });

    describe("of one master without a virtual address", () => {
        const template = { ...explicit, file: fixture("own-outside/cluster.yaml") };
        const given = ({ infrastructure, ...more }: Partial<KubernetesClusterArgs> = {}) => ({
            ...args(template, { controlPlane: { count: 1 }, pools: { edge: {} }, ...more }),
            infrastructure: { heat: { ...infrastructure?.heat, template } },
        });
        const names = ["alpha.address", "alpha.sshAddress", "alpha.serverId", "beta.address", "beta.serverId"];
        const seen = async (more?: Partial<KubernetesClusterArgs>) => {
            const { find, cluster } = await made(given(more), names);
            const sans = machine(find("Node core-alpha")).spec.certificateSans as string[];
            const endpoint = await new Promise<string>(resolve => cluster.endpoint.apply(resolve));
            return { endpoint, sans };
        };

        it("is reached by its API where SSH reaches it, under its certificate", async () => {
            const { endpoint, sans } = await seen();
            assert.equal(endpoint, "https://10.0.0.2:6443");
            assert.ok(sans.includes("10.0.0.2"), JSON.stringify(sans));
        });

        it("is not if there is a jump host before SSH, or another address for the API", async () => {
            const jump = { infrastructure: { heat: { ssh: { jump: { host: "jump.test" } } } } };
            assert.equal((await seen(jump)).endpoint, "https://10.0.0.1:6443");
            const external = { controlPlane: { count: 1, endpoint: { external: { host: "api.test" } } } };
            assert.equal((await seen(external)).endpoint, "https://api.test:6443");
        });
    });
});
