import assert from "node:assert/strict";
import { findProblems, problemText } from "../../../../provider/openstack/checks";
import type { CloudFacts } from "../../../../provider/openstack/facts";
import type { CloudNeeds } from "../../../../provider/openstack/needs";
import { unknownValue } from "../../../../provider/resources/values";
import { gib, owner, port, sampleFacts, sampleNeeds, tags } from "./sample-cloud";

type Change = (needs: CloudNeeds, facts: CloudFacts) => void;

function problems(change: Change): string[] {
    const [needs, facts] = [sampleNeeds(), sampleFacts()];
    change(needs, facts);
    return findProblems(needs, facts).map(
        ({ id, path, message, hint }) => `${id} @ ${path}: ${message} | ${hint ?? ""}`,
    );
}

const ref = (name: string, path = "p") => ({ name, path });
const compute = (facts: CloudFacts) => facts.quota!.compute!;
const server = (name: string, more: object = {}) => ({
    id: `id-${name}`,
    name,
    status: "ACTIVE",
    metadata: owner as Record<string, string>,
    flavor: { id: "3" },
    ...more,
});

/** What is changed in a cloud that has everything, and what is then said: once, in these words. */
const cases: [string, Change, RegExp][] = [
    [
        "an unknown flavor",
        n => {
            n.servers[0]!.flavor = ref("m1.medum", "controlPlane.flavor");
        },
        /^flavor-unknown @ controlPlane.flavor: there is no flavor "m1.medum" in this project \| Did you mean "m1.medium"\?$/,
    ],
    [
        "a flavor of which there are two",
        (_, f) => {
            f.flavors!.push({ ...f.flavors![1]!, id: "4" });
        },
        /^flavor-ambiguous .* \| Give one of the ids instead: 3, 4\.$/,
    ],
    [
        "a flavor too small for a master",
        n => {
            n.servers[0]!.flavor.name = "m1.tiny";
            n.servers[0]!.image = undefined;
        },
        /^flavor-small @ controlPlane.flavor: .* 1 vCPU and 512 MiB; kubeadm asks for 2 and 1700 MiB/,
    ],
    [
        "a flavor with too small a disk for the image",
        (_, f) => {
            f.images!["debian-12"]![0]!.virtual_size = 20 * gib + 1;
        },
        /^flavor-disk-small @ controlPlane.flavor: .* disk of 20 GiB; the image "debian-12" needs 21/,
    ],
    [
        "a flavor with less memory than the image asks for",
        (_, f) => {
            f.images!["debian-12"]![0]!.min_ram = 8192;
        },
        /^flavor-memory-small @ .* 4096 MiB of memory; the image "debian-12" needs 8192/,
    ],
    [
        "a boot volume smaller than the image",
        (n, f) => {
            n.servers[0]!.bootVolume = { sizeGiB: 2, path: "bootVolume" };
            f.quota = {};
        },
        /^boot-volume-small @ bootVolume: the boot volume has 2 GiB; .* needs 3 \| Give it at least 3 GiB/,
    ],
    [
        "an unknown image",
        (n, f) => {
            n.servers[0]!.image = ref("debain-12", "image");
            f.imageNames = ["ubuntu", "debian-12"];
        },
        /^image-unknown @ image: there is no image "debain-12" .* \| Did you mean "debian-12"\?/,
    ],
    [
        "an image of which there are two",
        (_, f) => {
            f.images!["debian-12"]!.push({ ...f.images!["debian-12"]![0]!, id: "i2" });
        },
        /^image-ambiguous @ infrastructure.nova.image: 2 images .* \| .*i1, i2/,
    ],
    [
        "an image that is not ready",
        (_, f) => {
            f.images!["debian-12"]![0]!.status = "queued";
        },
        /^image-inactive .* is queued, not active/,
    ],
    [
        "an unknown zone",
        n => {
            n.servers[0]!.zone = ref("nove", "zones");
        },
        /^zone-unknown @ zones: there is no availability zone "nove" \| Did you mean "nova"/,
    ],
    [
        "an unknown zone for volumes",
        n => {
            n.servers[0]!.volumes![0]!.zone = ref("x", "zone");
        },
        /^zone-unknown @ zone: .* "x" for volumes \| There is "nova"\./,
    ],
    [
        "an unknown key pair",
        n => {
            n.keyPair = ref("mine", "keyPair");
        },
        /^key-pair-unknown @ keyPair: this user has no key pair "mine"/,
    ],
    [
        "an unknown network",
        n => {
            n.servers[0]!.networks[0] = { network: ref("lam", "networks.0"), path: "x" };
            n.servers[0]!.floatingIp = undefined;
        },
        /^network-unknown @ networks.0: .*"lam" .* \| Did you mean "lan"/,
    ],
    [
        "an unknown subnet",
        n => {
            n.servers[0]!.networks[0]!.subnet = ref("other", "subnet");
        },
        /^subnet-unknown @ subnet: /,
    ],
    [
        "a subnet of another network",
        n => {
            n.servers[0]!.networks[0]!.subnet = ref("s2", "subnet");
            n.servers[0]!.floatingIp = undefined;
            n.servers[0]!.networks[0]!.portName = "p";
        },
        /^subnet-elsewhere @ subnet: the subnet "s2-name" is not in the network "lan"/,
    ],
    [
        "a network that is switched off",
        (_, f) => {
            f.networks![0]!.admin_state_up = false;
        },
        /^network-down @ network.network/,
    ],
    [
        "a network without subnets",
        (_, f) => {
            f.networks!.push({ id: "n3", name: "bare", subnets: [], admin_state_up: true });
            _.servers[0]!.networks.push({ portName: "core-vip", network: ref("bare", "networks.1"), path: "y" });
            _.servers[1]!.networks = [];
            _.servers[1]!.floatingIp = undefined;
        },
        /^network-empty @ networks.1: the network "bare" has no subnet/,
    ],
    [
        "a port in use",
        (n, f) => {
            n.servers[0]!.networks[0]!.port = ref("somebody", "ports.0");
            f;
        },
        /^port-in-use @ ports.0: the port "somebody" is in use by compute:nova other/,
    ],
    [
        "an unknown port",
        n => {
            n.servers[0]!.networks[0]!.port = ref("none", "ports.0");
        },
        /^port-unknown @ ports.0/,
    ],
    [
        "an unknown security group",
        n => {
            n.securityGroups = [ref("web", "securityGroups.0")];
        },
        /^security-group-unknown @ securityGroups.0: .* \| There is "default"\./,
    ],
    [
        "an address outside of the network",
        n => {
            n.vip!.address = "10.21.0.5";
        },
        /^address-outside @ vip: the address 10.21.0.5 is not in 10.20.0.0\/24/,
    ],
    [
        "an address outside of a network that is made",
        n => {
            n.servers[0]!.networks.push({ portName: "q", made: "san", address: "10.31.0.5", path: "n.1" });
            n.servers[1]!.networks = [];
            n.servers[1]!.floatingIp = undefined;
        },
        /^address-outside @ n.1: the address 10.31.0.5 is not in 10.30.0.0\/24/,
    ],
    [
        "an address that somebody has",
        n => {
            n.vip!.address = "10.20.0.11";
        },
        /^address-taken @ vip: the address 10.20.0.11 is taken by the port somebody/,
    ],
    [
        "a subnet one address short",
        (_, f) => {
            f.ports!.push(port("more", "n1", "s1", "10.20.0.12", "compute:nova", "other"));
        },
        /^subnet-full @ network.network: 3 more addresses are needed in "s1-name" of the network "lan", 2 are free/,
    ],
    [
        "an external network that is none",
        n => {
            n.externalNetwork = ref("lan", "externalNetwork");
            n.servers.forEach(s => {
                s.floatingIp = undefined;
            });
            n.floatingIps = [];
        },
        /^network-not-external @ externalNetwork: the network "lan" is not external \| External ones are "public"\./,
    ],
    [
        "an unknown external network",
        n => {
            n.externalNetwork = ref("pubic", "externalNetwork");
        },
        /^external-network-unknown @ externalNetwork: .* \| Did you mean "public"/,
    ],
    [
        "a floating IP without an external network",
        n => {
            n.externalNetwork = undefined;
            n.servers[0]!.floatingIp = undefined;
            n.servers[1]!.floatingIp = undefined;
        },
        /^floating-ip-without-network @ access.apiFloatingIp: .* \| Set infrastructure.nova.externalNetwork\./,
    ],
    [
        "a network without a router",
        (_, f) => {
            f.ports = f.ports!.filter(p => p.name !== "router");
        },
        /^network-without-route @ network.network: the network "lan" has no router: a floating IP of "public" could not reach/,
    ],
    [
        "a network whose router leads elsewhere",
        (n, f) => {
            f.routers![0]!.external_gateway_info = { network_id: "n9" };
            n.routers = [];
        },
        /^network-without-route @ network.network: .* has the router "r1", which has no gateway to "public"/,
    ],
    [
        "a network that is made without a router",
        n => {
            n.networksMade![0]!.routed = false;
            n.floatingIps![0]!.network = { made: "san", path: "z" };
        },
        /^network-without-route @ sub: the network "san" gets no router/,
    ],
    [
        "a given router without gateway",
        (n, f) => {
            f.routers!.push({ id: "r2", name: "r2", external_gateway_info: null });
            n.routers = [ref("r2", "network.router")];
        },
        /^network-without-route @ network.router: the router "r2" has no gateway/,
    ],
    [
        "too few floating IPs in the external network",
        (_, f) => {
            f.subnets![1]!.allocation_pools[0]!.end = "172.24.4.101";
        },
        /^floating-ips-exhausted @ externalNetwork: 3 more floating IPs are needed, the external network "public" has 2 left/,
    ],
    [
        "too few floating IPs, as the cloud itself tells",
        (_, f) => {
            f.availability = { n2: { limit: 100, used: 98 } };
        },
        /^floating-ips-exhausted .* has 2 left/,
    ],
    [
        "pods where the nodes are",
        n => {
            n.podCidr = ref("10.20.0.0/16", "podCidr");
        },
        /^cidr-overlap @ podCidr: the pods' network 10.20.0.0\/16 overlaps with the subnet "s1-name" \(10.20.0.0\/24\)/,
    ],
    [
        "services where a network is made",
        n => {
            n.serviceCidr = ref("fd00::/108,10.30.0.128/25", "serviceCidr");
        },
        /^cidr-overlap @ serviceCidr: the services' network .* "sub" \(10.30.0.0\/24\)/,
    ],
    [
        "an unknown volume type",
        n => {
            n.servers[0]!.volumes![0]!.type = ref("sdd", "type");
        },
        /^volume-type-unknown @ type: .* \| Did you mean "ssd"/,
    ],
    [
        "a volume larger than the quota of one",
        (_, f) => {
            f.quota!.volume!["per_volume_gigabytes"] = { limit: 9, used: 0 };
        },
        /^volume-too-large @ volumes.data: a volume of 10 GiB is wanted; the quota allows 9/,
    ],
    [
        "no Heat",
        (n, f) => {
            n.backEnd = "heat";
            f.services = f.services.filter(s => s !== "orchestration");
        },
        /^service-missing @ infrastructure.heat: the cloud has no orchestration service.* \| Use infrastructure.nova/,
    ],
    [
        "no volumes",
        (_, f) => {
            f.services = f.services.filter(s => s !== "block-storage");
        },
        /^service-missing @ infrastructure.nova: the cloud has no block-storage service, which is needed for volumes/,
    ],
    [
        "a Nova too old for the policy",
        (_, f) => {
            f.computeVersion = "2.9";
        },
        /^version-too-old @ serverGroup: the policy soft-anti-affinity needs Nova's API 2.15; this cloud has 2.9/,
    ],
    [
        "a server of this name that is not ours",
        (_, f) => {
            f.servers!.push(server("core-workers-1", { metadata: {} }));
        },
        /^server-name-taken @ name: a server "core-workers-1" exists already and is not this cluster's \(id-core-workers-1, ACTIVE\)/,
    ],
    [
        "a server of this name of the same cluster in another Pulumi stack",
        (_, f) => {
            f.servers!.push(server("core-workers-1", { metadata: { ...owner, "pulumi-nfv.stack": "project/prod" } }));
        },
        /^server-name-taken /,
    ],
    [
        "a stack of this name that is not ours",
        (n, f) => {
            n.stack = ref("core", "stackName");
            f.stack = {
                id: "st",
                stack_name: "core",
                stack_status: "CREATE_COMPLETE",
                stack_status_reason: "",
                tags: null,
            };
        },
        /^stack-name-taken @ stackName: a stack "core" exists already and is not this cluster's \(st, CREATE_COMPLETE\)/,
    ],
    [
        "a key pair of the cluster's name before its first run",
        (_, f) => {
            f.keyPairs!.push("core");
        },
        /^key-pair-name-taken @ name/,
    ],
];

/** Each of them one short. */
const quotas: [string, Change, string][] = [
    [
        "servers",
        (_, f) => {
            compute(f)["maxTotalInstances"]! -= 1;
        },
        "servers: 2 more needed, 5 of 6 in use: 1 short",
    ],
    [
        "vCPUs",
        (_, f) => {
            compute(f)["maxTotalCores"]! -= 1;
        },
        "vCPUs: 4 more needed, 5 of 8 in use: 1 short",
    ],
    [
        "memory",
        (_, f) => {
            compute(f)["maxTotalRAMSize"]! -= 1;
        },
        "memory (MiB): 8192 more needed, 5 of 8196 in use: 1 short",
    ],
    [
        "server groups",
        (_, f) => {
            compute(f)["maxServerGroups"]! -= 1;
        },
        "server groups: 1 more needed, 5 of 5 in use: 1 short",
    ],
    [
        "members of a server group",
        (_, f) => {
            compute(f)["maxServerGroupMembers"]! -= 1;
        },
        'members of the server group "core-cp": 1 more needed, 0 of 0 in use: 1 short',
    ],
    [
        "key pairs",
        (_, f) => {
            compute(f)["maxTotalKeypairs"]! -= 1;
        },
        "key pairs: 1 more needed, 1 of 1 in use: 1 short",
    ],
    [
        "ports",
        (_, f) => {
            f.quota!.network!["port"]!.limit -= 1;
        },
        "ports: 5 more needed, 5 of 9 in use: 1 short",
    ],
    [
        "floating IPs",
        (_, f) => {
            f.quota!.network!["floatingip"]!.limit -= 1;
        },
        "floating IPs: 3 more needed, 5 of 7 in use: 1 short",
    ],
    [
        "networks",
        (_, f) => {
            f.quota!.network!["network"]!.limit -= 1;
        },
        "networks: 1 more needed, 5 of 5 in use: 1 short",
    ],
    [
        "subnets",
        (_, f) => {
            f.quota!.network!["subnet"]!.limit -= 1;
        },
        "subnets: 1 more needed, 5 of 5 in use: 1 short",
    ],
    [
        "routers",
        (_, f) => {
            f.quota!.network!["router"]!.limit -= 1;
        },
        "routers: 1 more needed, 5 of 5 in use: 1 short",
    ],
    [
        "security groups",
        (_, f) => {
            f.quota!.network!["security_group"]!.limit -= 1;
        },
        "security groups: 1 more needed, 5 of 5 in use: 1 short",
    ],
    [
        "security group rules",
        (_, f) => {
            f.quota!.network!["security_group_rule"]!.limit -= 1;
        },
        "security group rules: 8 more needed, 5 of 12 in use: 1 short",
    ],
    [
        "volumes",
        (_, f) => {
            f.quota!.volume!["volumes"]!.limit -= 1;
        },
        "volumes: 2 more needed, 5 of 6 in use: 1 short",
    ],
    [
        "their size",
        (_, f) => {
            f.quota!.volume!["gigabytes"]!.limit -= 1;
        },
        "volumes' size (GiB): 20 more needed, 5 of 24 in use: 1 short",
    ],
    [
        "volumes of a type",
        (_, f) => {
            f.quota!.volume!["volumes_ssd"]!.limit -= 1;
        },
        'volumes of the type "ssd": 2 more needed, 5 of 6 in use: 1 short',
    ],
    [
        "size of a type",
        (_, f) => {
            f.quota!.volume!["gigabytes_ssd"]!.limit -= 1;
        },
        'size of the type "ssd" (GiB): 20 more needed, 5 of 24 in use: 1 short',
    ],
];

/** Changes after which all is still well. */
const well: [string, Change][] = [
    ["a cloud that has everything, with exactly so much quota", () => {}],
    [
        "no limits",
        (_, f) => {
            for (const key of Object.keys(compute(f))) if (key.startsWith("max")) compute(f)[key] = -1;
            f.quota!.network!["port"]!.limit = -1;
        },
    ],
    [
        "ids instead of names",
        n => {
            n.servers[0]!.flavor.name = "3";
            n.servers[0]!.networks[0]!.network!.name = "n1";
            n.externalNetwork!.name = "n2";
        },
    ],
    [
        "a flavor whose disk is as large as the image",
        (_, f) => {
            f.flavors![1]!.disk = 0;
        },
    ],
    [
        "a shared network of another project, whose router is not shown",
        (n, f) => {
            f.networks![0]!.project_id = "p2";
            f.ports = f.ports!.filter(p => p.name !== "router");
            f.routers = [];
            n.routers = [];
        },
    ],
    [
        "a floating IP that exists",
        (n, f) => {
            n.floatingIps![0]!.address = "172.24.4.100";
            f.quota!.network!["floatingip"]!.limit -= 1;
        },
    ],
    [
        "values that are not known yet",
        (n, f) => {
            n.servers[0]!.flavor.name = unknownValue;
            n.servers[0]!.image!.name = unknownValue;
            n.servers[0]!.networks[0]!.network!.name = unknownValue;
            n.podCidr!.name = unknownValue;
            n.externalNetwork!.name = unknownValue;
            f.images = { "debian-12": f.images!["debian-12"]! };
        },
    ],
    [
        "what the cloud does not say",
        (_, f) => {
            for (const key of Object.keys(f))
                if (!["services", "owners", "unasked", "projectId"].includes(key)) delete (f as any)[key];
        },
    ],
    [
        "our own address",
        (n, f) => {
            n.vip!.address = "10.20.0.11";
            f.ports![2] = { ...f.ports![2]!, tags } as never;
        },
    ],
    [
        "our own stack",
        (n, f) => {
            n.stack = ref("core");
            f.stack = { id: "st", stack_name: "core", stack_status: "CREATE_FAILED", stack_status_reason: "", tags };
        },
    ],
    [
        "a stack that bears no owner, after the first run",
        (n, f) => {
            n.stack = ref("core");
            f.owners.push(owner);
            f.stack = {
                id: "st",
                stack_name: "core",
                stack_status: "CREATE_FAILED",
                stack_status_reason: "",
                tags: null,
            };
        },
    ],
    [
        "the cluster's key pair after its first run",
        (_, f) => {
            f.keyPairs!.push("core");
            f.owners.push(owner);
            compute(f)["maxTotalKeypairs"]! = 2;
        },
    ],
];

describe("what is checked of a cloud before anything is made", () => {
    for (const [what, change, expected] of cases) {
        it(`finds ${what}`, () => {
            const found = problems(change).filter(text => !text.startsWith("quota-short"));
            assert.equal(new Set(found.map(text => text.split(" | ")[0])).size <= 2, true, found.join("\n"));
            assert.match(found.find(text => expected.test(text)) ?? found.join("\n"), expected);
            assert.ok(found.length > 0);
        });
    }

    for (const [what, change, expected] of quotas) {
        it(`finds a quota one short: ${what}`, () => {
            const found = problems(change);
            assert.equal(found.length, 1, found.join("\n"));
            assert.ok(found[0]!.startsWith(`quota-short @ infrastructure.nova: quota of ${expected}`), found[0]);
        });
    }

    for (const [what, change] of well) {
        it(`finds nothing wrong with ${what}`, () => assert.deepEqual(problems(change), []));
    }

    it("counts nothing twice that this cluster has already", () => {
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
            // All of it full to the last.
            const { compute: c, network, volume } = f.quota!;
            for (const key of Object.keys(c!)) if (key.startsWith("max")) c![key] = 5;
            for (const each of [...Object.values(network!), ...Object.values(volume!)]) each.limit = each.used;
        };
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

    it("says the same thing of many servers once, and all things at once", () => {
        const many: Change = (n, f) => {
            n.servers = Array.from({ length: 50 }, () => ({
                ...n.servers[1]!,
                flavor: ref("none", "pools.workers.flavor"),
            }));
            n.keyPair = ref("mine", "keyPair");
            f.quota = {};
            f.ports = undefined;
            f.subnets = undefined;
        };
        const ids = problems(many).map(text => text.split(" ")[0]);
        assert.deepEqual(ids, ["flavor-unknown", "key-pair-unknown"]);
    });

    it("reads as place and message, with what to do below", () => {
        const text = problemText([
            { id: "a", path: "x.y", message: "wrong", hint: "Right it." },
            { id: "b", path: "z", message: "gone" },
        ]);
        assert.equal(text, "x.y: wrong\n    Right it.\nz: gone");
    });
});
