import assert from "node:assert/strict";
import { owner, port, tags } from "../sample-cloud";
import { type Change, compute, problems, server } from "./checking";

const ofCompute =
    (limit: string): Change =>
    (_, f) => {
        compute(f)[limit]! -= 1;
    };
const of =
    (service: "network" | "volume", what: string): Change =>
    (_, f) => {
        f.quota![service]![what]!.limit -= 1;
    };

/** Each of them is one short. */
const quotas: [string, Change, string][] = [
    ["servers", ofCompute("maxTotalInstances"), "servers: 2 more needed, 5 of 6 in use: 1 short"],
    ["vCPUs", ofCompute("maxTotalCores"), "vCPUs: 4 more needed, 5 of 8 in use: 1 short"],
    ["memory", ofCompute("maxTotalRAMSize"), "memory (MiB): 8192 more needed, 5 of 8196 in use: 1 short"],
    ["server groups", ofCompute("maxServerGroups"), "server groups: 1 more needed, 5 of 5 in use: 1 short"],
    [
        "members of a server group",
        ofCompute("maxServerGroupMembers"),
        'members of the server group "core-cp": 1 more needed, 0 of 0 in use: 1 short',
    ],
    ["key pairs", ofCompute("maxTotalKeypairs"), "key pairs: 1 more needed, 1 of 1 in use: 1 short"],
    ["ports", of("network", "port"), "ports: 5 more needed, 5 of 9 in use: 1 short"],
    ["floating IPs", of("network", "floatingip"), "floating IPs: 3 more needed, 5 of 7 in use: 1 short"],
    ["networks", of("network", "network"), "networks: 1 more needed, 5 of 5 in use: 1 short"],
    ["subnets", of("network", "subnet"), "subnets: 1 more needed, 5 of 5 in use: 1 short"],
    ["routers", of("network", "router"), "routers: 1 more needed, 5 of 5 in use: 1 short"],
    ["security groups", of("network", "security_group"), "security groups: 1 more needed, 5 of 5 in use: 1 short"],
    [
        "security group rules",
        of("network", "security_group_rule"),
        "security group rules: 8 more needed, 5 of 12 in use: 1 short",
    ],
    ["volumes", of("volume", "volumes"), "volumes: 2 more needed, 5 of 6 in use: 1 short"],
    ["their size", of("volume", "gigabytes"), "volumes' size (GiB): 20 more needed, 5 of 24 in use: 1 short"],
    [
        "volumes of a type",
        of("volume", "volumes_ssd"),
        'volumes of the type "ssd": 2 more needed, 5 of 6 in use: 1 short',
    ],
    [
        "size of a type",
        of("volume", "gigabytes_ssd"),
        'size of the type "ssd" (GiB): 20 more needed, 5 of 24 in use: 1 short',
    ],
];

describe("the checks of quota", () => {
    for (const [what, change, expected] of quotas) {
        it(`find one short: ${what}`, () => {
            const found = problems(change);
            assert.equal(found.length, 1, found.join("\n"));
            assert.ok(found[0]!.startsWith(`quota-short @ infrastructure.nova: quota of ${expected}`), found[0]);
        });
    }

    describe("of a cluster that stands", () => {
        const have: Change = (_, f) => {
            f.servers!.push(server("core-control-plane-1"), server("core-workers-1"));
            f.serverGroups!.push({ id: "sg", name: "core-cp", members: [] });
            f.keyPairs!.push("core");
            f.owners.push(owner);
            f.ports!.push(
                port("core-control-plane-1", "n1", "s1", "10.20.0.12", "compute:nova", "id-core-control-plane-1"),
                port("core-workers-1", "n1", "s1", "10.20.0.13", "compute:nova", "id-core-workers-1"),
                port("core-vip", "n1", "s1", "10.20.0.14"),
            );
            const address = { floating_ip_address: "172.24.4.100", floating_network_id: "n2" };
            f.floatingIps!.push(
                { id: "f1", port_id: "port-core-control-plane-1", ...address },
                { id: "f2", port_id: "port-core-workers-1", ...address },
                { id: "f3", port_id: "port-core-vip", ...address },
            );
            f.networks!.push({ id: "n5", name: "san", subnets: ["s5"], admin_state_up: true, tags });
            f.subnets!.push({ ...f.subnets![0]!, id: "s5", name: "sub", network_id: "n5" });
            f.routers!.push({ id: "r5", name: "core", external_gateway_info: null, tags });
            const rules = Array.from({ length: 8 }, (_, i) => ({ id: String(i) }));
            f.securityGroups!.push({ id: "g5", name: "core", tags, security_group_rules: rules });
            for (const name of ["control-plane-1", "workers-1"]) {
                const volume = { id: name, name: `core-${name}-data`, status: "in-use", size: 10, attachments: [] };
                f.volumes!.push({ ...volume, metadata: owner });
            }
            // All of it is used up.
            const { compute: c, network, volume } = f.quota!;
            for (const key of Object.keys(c!)) if (key.startsWith("max")) c![key] = 5;
            for (const each of [...Object.values(network!), ...Object.values(volume!)]) each.limit = each.used;
        };

        it("count nothing twice that it has already", () => {
            assert.deepEqual(problems(have), []);
            const one: Change = (n, f) => {
                have(n, f);
                n.servers.push({
                    ...n.servers[1]!,
                    name: "core-workers-2",
                    volumes: [],
                    networks: [],
                    floatingIp: undefined,
                });
            };
            assert.deepEqual(
                problems(one).map(text => text.split(" | ")[0]),
                [
                    "quota-short @ infrastructure.nova: quota of servers: 1 more needed, 5 of 5 in use: 1 short",
                    "quota-short @ infrastructure.nova: quota of vCPUs: 2 more needed, 5 of 5 in use: 2 short",
                    "quota-short @ infrastructure.nova: quota of memory (MiB): 4096 more needed, 5 of 5 in use: 4096 short",
                ],
            );
        });

        it("count all of it when it moves to another back end, where nothing goes before the new is there", () => {
            const short = problems((n, f) => {
                have(n, f);
                f.kept = "in the stack";
            }).flatMap(text => /quota of (.*): (\d+) more needed/.exec(text)?.slice(1).join(" ") ?? []);
            assert.deepEqual(short, [
                ...["servers 2", "vCPUs 4", "memory (MiB) 8192", "server groups 1"],
                ...["ports 5", "floating IPs 3", "networks 1", "subnets 1", "routers 1"],
                ...["security groups 1", "security group rules 8", "volumes 2", "volumes' size (GiB) 20"],
                ...['volumes of the type "ssd" 2', 'size of the type "ssd" (GiB) 20'],
            ]);
        });

        it("count nothing twice when it moves back: what is beside the stack is there still", () => {
            const back: Change = (n, f) => {
                have(n, f);
                f.kept = "beside the stack";
                f.stackIds = ["of the move that was given up"];
            };
            assert.deepEqual(problems(back), []);
        });
    });
});
