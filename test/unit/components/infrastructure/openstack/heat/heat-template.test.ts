import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { parse } from "yaml";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import {
    type HeatTemplate,
    heatTemplate,
} from "../../../../../../components/infrastructure/openstack/heat/heat-template";
import { planServers } from "../../../../../../components/infrastructure/openstack/plan/plan-servers";
import type { ServerPlan } from "../../../../../../components/infrastructure/openstack/plan/server-plan";

type Section = Record<string, any>;
type Hot = { parameters: Section; resources: Section; outputs: Section };

type Changes = { heat?: object; masters?: number; workers?: number; cni?: string };

function planOf({ heat, masters = 1, workers = 1, cni }: Changes = {}): ServerPlan {
    const args: KubernetesClusterArgs = {
        infrastructure: { heat: { image: "debian-12", flavor: "m1.small", externalNetwork: "public", ...heat } },
        kubernetes: { version: "1.34.4" },
        controlPlane: { count: masters },
        pools: { workers: { count: workers } },
        ...(cni !== undefined && { network: { cni } }),
    } as KubernetesClusterArgs;
    return planServers(args, "core", { project: "shop", stack: "dev" });
}

/** Few runs, because reading YAML takes most of the time. */
const few = { numRuns: 10 };

/** As Heat reads it. */
function read({ template }: HeatTemplate): Hot {
    return parse(template, { version: "1.1" });
}

const everything = {
    keyPair: undefined,
    network: { cidr: "10.9.0.0/24", dnsServers: ["192.0.2.53"], mtu: 1400 },
    access: { jumpServer: { flavor: "m1.tiny" }, nodePortCidrs: ["192.0.2.0/24"] },
    server: {
        availabilityZones: ["a", "b"],
        bootVolume: { sizeGiB: 20, type: "fast" },
        volumes: { data: { sizeGiB: 5 }, logs: { sizeGiB: 1, type: "slow" } },
        networks: [{ network: "storage", subnet: "storage-4", port: { vnicType: "direct", portSecurity: false } }],
        securityGroups: ["monitoring"],
        configDrive: true,
        metadata: { on: "yes" },
    },
};

const wishes = fc.record({
    heat: fc.constantFrom<object>({}, everything, {
        network: { network: "shared", subnet: "shared-4" },
        externalNetwork: undefined,
        keyPair: "mine",
        server: { serverGroup: "none" },
    }),
    masters: fc.integer({ min: 1, max: 5 }),
    workers: fc.integer({ min: 0, max: 12 }),
});

/** The arguments of this function, at any depth. */
function called(value: unknown, name: string): string[] {
    if (Array.isArray(value)) return value.flatMap(item => called(item, name));
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, inner]) =>
        key === name ? [String([inner].flat()[0])] : called(inner, name),
    );
}

function keysOf(value: unknown): string[] {
    if (Array.isArray(value)) return value.flatMap(keysOf);
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

describe("the Heat template of a plan", () => {
    it("gives the same text whatever order the user wrote things in", () => {
        const volumes = { data: { sizeGiB: 5 }, logs: { sizeGiB: 1 } };
        const turned = { logs: volumes.logs, data: volumes.data };
        const [one, other] = [volumes, turned].map(each =>
            heatTemplate(planOf({ heat: { server: { volumes: each } } })),
        );
        assert.ok(one!.template.includes("workers-1_volume_logs"));
        assert.equal(one!.template, other!.template);
    });

    it("only adds resources when a node is added: those of the others stay as they are", () => {
        fc.assert(
            fc.property(wishes, wish => {
                const before = read(heatTemplate(planOf(wish)));
                const after = read(heatTemplate(planOf({ ...wish, workers: wish.workers + 1 })));
                for (const section of ["parameters", "resources", "outputs"] as const)
                    for (const [name, value] of Object.entries(before[section]))
                        assert.deepEqual(after[section][name], value, name);
                const added = Object.keys(after.resources).filter(name => !Object.hasOwn(before.resources, name));
                // A pool's first server adds its server group.
                const own = added.filter(name => !name.startsWith("server_group_"));
                assert.ok(own.length > 0 && own.every(name => name.startsWith(`workers-${wish.workers + 1}_`)));
            }),
            few,
        );
    });

    it("declares the parameters that it uses, uses those that it declares, and names them all", () => {
        fc.assert(
            fc.property(wishes, wish => {
                const made = heatTemplate(planOf(wish));
                const hot = read(made);
                assert.deepEqual([...new Set(called(hot, "get_param"))].sort(), Object.keys(hot.parameters).sort());
                assert.deepEqual([...made.parameters].sort(), Object.keys(hot.parameters).sort());
            }),
            few,
        );
    });

    it("names no image and no flavor itself: each server keeps by a parameter what it was made of, the jump server too", () => {
        for (const bootVolume of [undefined, { sizeGiB: 20 }]) {
            const server = { ...everything.server, bootVolume };
            const { resources } = read(heatTemplate(planOf({ heat: { ...everything, server } })));
            const servers = Object.entries(resources).filter(([, { type }]) => type === "OS::Nova::Server");
            assert.equal(servers.length, 3);
            for (const [name, { properties }] of servers) {
                const key = name.replace(/_server$/, "");
                assert.deepEqual(properties.flavor, { get_param: `${key}_flavor` });
                assert.deepEqual(properties.metadata["pulumi-nfv.generation"], { get_param: `${key}_generation` });
                const { image } =
                    bootVolume && key !== "jump" ? resources[`${key}_boot_volume`].properties : properties;
                assert.deepEqual(image, { get_param: `${key}_image` });
            }
        }
    });

    it("refers to resources that exist", () => {
        fc.assert(
            fc.property(wishes, wish => {
                const hot = read(heatTemplate(planOf(wish)));
                const names = [...called(hot, "get_resource"), ...called(hot, "get_attr")];
                const waits = Object.values(hot.resources).flatMap(each => each.depends_on ?? []);
                for (const name of [...names, ...waits]) assert.ok(Object.hasOwn(hot.resources, name), name);
            }),
            few,
        );
    });

    it("has no key that YAML 1.1 takes for a boolean: the plug-in would crash", () => {
        const hot = parse(heatTemplate(planOf({ heat: everything })).template, { version: "1.1", mapAsMap: true });
        const visit = (value: unknown): void => {
            if (value instanceof Map)
                for (const [key, inner] of value) {
                    assert.equal(typeof key, "string", String(key));
                    visit(inner);
                }
            else if (Array.isArray(value)) value.forEach(visit);
        };
        visit(hot);
        assert.ok(
            keysOf(read(heatTemplate(planOf({ heat: everything })))).includes("on"),
            "the key of the user's is there",
        );
    });

    it("gives numbers and texts their types, and says what each is", () => {
        const { parameters } = read(heatTemplate(planOf({ heat: everything })));
        for (const [name, parameter] of Object.entries(parameters)) {
            assert.ok(parameter.type && parameter.description, name);
            assert.equal(parameter.type, name.endsWith("_generation") ? "number" : "string", name);
            assert.ok(!("default" in parameter) && !("hidden" in parameter), name);
        }
    });

    it("gives each output as a text: one list would make the plug-in drop all", () => {
        fc.assert(
            fc.property(wishes, wish => {
                const { outputs } = read(heatTemplate(planOf(wish)));
                for (const [name, { value }] of Object.entries(outputs)) {
                    const path = value.get_attr as unknown[] | undefined;
                    const leaf = path?.at(-1);
                    const text =
                        "get_resource" in value ||
                        ["ip_address", "cidr", "floating_ip_address"].includes(leaf as string);
                    assert.ok(text, name);
                }
            }),
            few,
        );
    });

    it("tells where to find each node", () => {
        const made = heatTemplate(planOf({ heat: everything, masters: 3, workers: 2 }));
        const hot = read(made);
        assert.deepEqual(Object.keys(made.servers), [
            "core-control-plane-1",
            "core-control-plane-2",
            "core-control-plane-3",
            "core-workers-1",
            "core-workers-2",
        ]);
        for (const [name, server] of Object.entries(made.servers)) {
            assert.equal(hot.resources[server.resource].properties.name, name);
            for (const resource of server.healed) assert.ok(hot.resources[resource], resource);
            const { volumes, ...texts } = server.outputs;
            for (const output of [...Object.values(texts), ...Object.values(volumes)])
                assert.ok(hot.outputs[output!], output);
        }
    });

    it("replaces the boot volume together with the server when it is healed, and keeps the others", () => {
        const { servers } = heatTemplate(planOf({ heat: everything }));
        assert.deepEqual(servers["core-workers-1"]!.healed, ["workers-1_server", "workers-1_boot_volume"]);
        const { servers: plain } = heatTemplate(planOf());
        assert.deepEqual(plain["core-workers-1"]!.healed, ["workers-1_server"]);
    });

    it("lets only masters bear the virtual address, and pods' addresses pass where the CNI routes them", () => {
        const pairs = (wish: Changes, server: string) =>
            read(heatTemplate(planOf(wish))).resources[`${server}_port_1`].properties.allowed_address_pairs;
        const vip = { ip_address: { get_attr: ["vip_port", "fixed_ips", 0, "ip_address"] } };
        const pods = { ip_address: "10.244.0.0/16" };
        assert.deepEqual(pairs({}, "control-plane-1"), [vip, pods]);
        assert.deepEqual(pairs({}, "workers-1"), [pods]);
    });

    it("asks for a port without port security as Neutron wants it: without groups and address pairs", () => {
        const { resources } = read(heatTemplate(planOf({ heat: everything })));
        const { properties } = resources["workers-1_port_2"];
        assert.deepEqual(properties.security_groups, []);
        assert.equal(properties.port_security_enabled, false);
        assert.equal(properties["binding:vnic_type"], "direct");
        assert.deepEqual(properties.network, { get_param: "network:storage" });
        assert.ok(!("allowed_address_pairs" in properties));
    });

    it("makes no network, router or key pair where they are given", () => {
        const heat = { network: { network: "shared" }, externalNetwork: undefined, keyPair: "mine" };
        const { given, ...template } = heatTemplate(planOf({ heat }));
        const { resources } = read(template as ReturnType<typeof heatTemplate>);
        assert.deepEqual(given, ["network:shared"]);
        for (const name of ["network", "subnet", "router", "router_interface", "key_pair"])
            assert.ok(!Object.hasOwn(resources, name), name);
        assert.deepEqual(resources["workers-1_port_1"].properties.network, { get_param: "network:shared" });
        assert.equal(resources["workers-1_server"].properties.key_name, "mine");
        assert.ok(!("depends_on" in resources["workers-1_server"]));
    });

    it("opens SSH from outside only to the jump server where there is one", () => {
        const { resources } = read(heatTemplate(planOf({ heat: everything })));
        const open = Object.entries(resources)
            .filter(([, { properties }]) => properties.port_range_min === 22)
            .map(([name]) => name);
        assert.deepEqual(open, ["jump_security_group_rule_ssh-0-0-0-0-0"]);
        assert.ok(!Object.keys(resources).some(name => name.startsWith("workers-1_floating_ip")));
    });

    it("never rebuilds or resizes a server in place, and leaves servers alone whose user data would be another", () => {
        const { resources } = read(heatTemplate(planOf()));
        const { properties } = resources["workers-1_server"];
        assert.deepEqual([properties.image_update_policy, properties.flavor_update_policy], ["REPLACE", "REPLACE"]);
        assert.deepEqual([properties.user_data_update_policy, properties.user_data_format], ["IGNORE", "RAW"]);
    });

    it("marks what it makes with its owner", () => {
        const { resources } = read(heatTemplate(planOf({ heat: everything })));
        for (const name of ["network", "subnet", "router", "vip_port", "workers-1_port_1"])
            assert.ok(resources[name].properties.tags.includes("pulumi-nfv.cluster=core"), name);
        for (const name of ["workers-1_server", "workers-1_volume_data", "workers-1_boot_volume", "jump_server"])
            assert.equal(resources[name].properties.metadata["pulumi-nfv.cluster"], "core", name);
    });
});
