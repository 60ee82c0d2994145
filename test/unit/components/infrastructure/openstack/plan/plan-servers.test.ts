import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import { planServers } from "../../../../../../components/infrastructure/openstack/plan/plan-servers";
import { planOf } from "../sample-cloud-args";

const names = (list: { name: string }[]) => list.map(({ name }) => name);
const rule = (plan: ReturnType<typeof planOf>, key: string) =>
    plan.securityGroup.rules.find(candidate => candidate.key === key);

describe("the plan of servers", () => {
    it("names servers after cluster, group and number, masters first", () => {
        const plan = planOf({}, { pools: { w10: { count: 1 }, w2: { count: 2 }, none: { count: 0 } } });
        deepStrictEqual(names(plan.servers), [
            "core-control-plane-1",
            "core-control-plane-2",
            "core-control-plane-3",
            "core-w2-1",
            "core-w2-2",
            "core-w10-1",
        ]);
        deepStrictEqual(
            plan.servers[0]!.ports.map(({ name }) => name),
            ["core-control-plane-1"],
        );
    });

    it("names the key pair by the back end: who changes it has both for a while, and a key pair's name is taken once", () => {
        const keyPairOf = (backEnd: string, given = {}) =>
            planServers({ ...cluster, infrastructure: { [backEnd]: given } }, "core", {
                project: "shop",
                stack: "dev",
            }).keyPair;
        const cluster = { kubernetes: { version: "1.34.4" } };
        deepStrictEqual(keyPairOf("nova"), { name: "core", made: true });
        deepStrictEqual(keyPairOf("heat"), { name: "core-heat", made: true });
        deepStrictEqual(keyPairOf("heat", { keyPair: "mine" }), { name: "mine", made: false });
    });

    it("makes one server of a group that says nothing", () => {
        const plan = planOf({}, { controlPlane: undefined, pools: { workers: {} } });
        deepStrictEqual(names(plan.servers), ["core-control-plane-1", "core-workers-1"]);
    });

    it("leaves what a server is alone when others come or go", () => {
        const zones = { server: { availabilityZones: ["a", "b", "c"] } };
        fc.assert(
            fc.property(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }), (one, other) => {
                const [a, b] = [one, other].map(count => planOf(zones, { pools: { workers: { count } } }).servers);
                for (const server of a!) {
                    const same = b!.find(({ name }) => name === server.name);
                    if (same) deepStrictEqual(same, server);
                }
                deepStrictEqual(Math.min(a!.length, b!.length), 3 + Math.min(one, other));
            }),
        );
    });

    it("leaves out the servers that remove names: the others are what they were", () => {
        const zones = { server: { availabilityZones: ["a", "b", "c"] } };
        const workers = (count: number, remove?: string[]) =>
            planOf(zones, { controlPlane: { count: 1 }, pools: { workers: { count, ...(remove && { remove }) } } })
                .servers;
        const all = workers(4);
        const at = (...numbers: number[]) => [all[0]!, ...numbers.map(number => all[number]!)];
        deepStrictEqual(workers(2, ["core-workers-2"]), at(1, 3));
        deepStrictEqual(workers(3, ["core-workers-2"]), at(1, 3, 4));
        deepStrictEqual(workers(4, []), all);
    });

    it("leaves out a control-plane node that remove names", () => {
        const plan = planOf({}, { controlPlane: { count: 3, remove: ["core-control-plane-1"] }, pools: {} });
        deepStrictEqual(
            names(plan.servers),
            [2, 3, 4].map(number => `core-control-plane-${number}`),
        );
    });

    it("deals zones out in turn", () => {
        const pools = { workers: { count: 5, server: { availabilityZones: ["a", "b"] } } };
        const zones = planOf({}, { pools }).servers.map(({ availabilityZone }) => availabilityZone);
        deepStrictEqual(zones, [undefined, undefined, undefined, "a", "b", "a", "b", "a"]);
    });

    it("lets a group's settings come before those of all, key by key, and merges metadata", () => {
        const server = {
            image: "debian-12",
            serverGroup: "none",
            metadata: { site: "north", tier: "all" },
            configDrive: true,
        };
        const own = { image: "golden", metadata: { tier: "upf", "pulumi-nfv.cluster": "forged" } };
        const plan = planOf({ server, metadata: { site: "x", owner: "me" } }, { pools: { upf: { server: own } } });
        const [master] = plan.servers;
        const worker = plan.servers.at(-1)!;
        deepStrictEqual([master!.image, worker.image], ["debian-12", "golden"]);
        strictEqual(worker.configDrive, true);
        deepStrictEqual(worker.metadata, {
            owner: "me",
            site: "north",
            tier: "upf",
            "pulumi-nfv.cluster": "core",
            "pulumi-nfv.stack": "shop:dev",
            "pulumi-nfv.role": "worker",
            "pulumi-nfv.pool": "upf",
        });
        deepStrictEqual(plan.serverGroups, []);
        strictEqual(worker.serverGroup, undefined);
    });

    it("marks what is made with project and stack: programs of two projects with one stack name are apart", () => {
        const mark = (project: string, stack: string) =>
            planOf({}, {}, { project, stack }).metadata["pulumi-nfv.stack"]!;
        strictEqual(mark("shop", "dev"), "shop:dev");
        notStrictEqual(mark("shop", "dev"), mark("bank", "dev"));
        const long = "a".repeat(40);
        for (const stack of ["one", "other"]) strictEqual(`pulumi-nfv.stack=${mark(long, stack)}`.length, 60);
        notStrictEqual(mark(long, "one"), mark(long, "other"));
        ok([mark("shop", "dev"), mark(long, "one")].every(each => !/[/,]/.test(each)));
    });

    it("keeps servers of a group apart, softly, unless told otherwise", () => {
        const plan = planOf({}, { pools: { upf: { server: { serverGroup: "anti-affinity" } } } });
        deepStrictEqual(plan.serverGroups, [
            { key: "control-plane", name: "core-control-plane", policy: "soft-anti-affinity" },
            { key: "upf", name: "core-upf", policy: "anti-affinity" },
        ]);
        deepStrictEqual(plan.servers.at(-1)!.serverGroup, "upf");
    });

    it("makes a network with a router, unless one is named", () => {
        deepStrictEqual(planOf().network, {
            made: true,
            name: "core",
            subnetName: "core",
            cidr: "10.100.0.0/24",
            dnsServers: [],
            router: { name: "core" },
        });
        const attached = planOf({ network: { router: "edge", cidr: "192.168.7.0/24", mtu: 1400 } }).network;
        ok(attached.made);
        deepStrictEqual([attached.router, attached.cidr, attached.mtu], [{ existing: "edge" }, "192.168.7.0/24", 1400]);
        deepStrictEqual(planOf({ network: { network: "site", subnet: "v4" } }).network, {
            made: false,
            network: "site",
            subnet: "v4",
        });
    });

    it("reserves an address for the API, also of a single master, unless somebody else's is used", () => {
        const single = planOf(
            {},
            { controlPlane: { count: 1, endpoint: { vip: { address: "10.100.0.9", port: 443 } } } },
        );
        deepStrictEqual(single.vip, { portName: "core-api", address: "10.100.0.9", floatingIp: true });
        deepStrictEqual(
            single.servers.map(({ ports }) => ports[0]!.bearsVip),
            [true, false, false],
        );
        ok(rule(single, "api-443-0-0-0-0-0"));
        const external = planOf({}, { controlPlane: { count: 3, endpoint: { external: { host: "lb" } } } });
        strictEqual(external.vip, undefined);
        ok(external.servers.every(({ ports }) => !ports[0]!.bearsVip));
        strictEqual(rule(external, "api-16443-0-0-0-0-0"), undefined);
        ok(rule(external, "api-6443-0-0-0-0-0"));
    });

    it("opens the cluster to those who are named, and NodePorts to nobody", () => {
        const plan = planOf({ access: { sshCidrs: ["10.1.0.0/16", "10.1.0.0/16"], apiCidrs: ["10.2.0.0/16"] } });
        deepStrictEqual(
            plan.securityGroup.rules.map(({ key }) => key),
            [
                "group",
                "vrrp",
                "icmp",
                "ssh-10-1-0-0-16",
                "api-6443-10-2-0-0-16",
                "api-16443-10-2-0-0-16",
                "pods-10-244-0-0-16",
            ],
        );
        deepStrictEqual(rule(plan, "ssh-10-1-0-0-16"), {
            key: "ssh-10-1-0-0-16",
            protocol: "tcp",
            ports: { from: 22, to: 22 },
            from: { cidr: "10.1.0.0/16" },
        });
        const open = planOf({ access: { nodePortCidrs: ["10.3.0.0/16"] } });
        deepStrictEqual(rule(open, "nodeport-udp-10-3-0-0-16")?.ports, { from: 30000, to: 32767 });
    });

    it("lets ports bear pods' addresses only where nodes route them", () => {
        const routed = planOf({}, { network: { podCidr: "10.50.0.0/16" } });
        ok(routed.servers.every(({ ports }) => ports[0]!.allowedCidrs[0] === "10.50.0.0/16"));
        const tunnelled = planOf({}, { network: { cni: "flannel" } });
        ok(tunnelled.servers.every(({ ports }) => ports[0]!.allowedCidrs.length === 0));
        strictEqual(rule(tunnelled, "pods-10-244-0-0-16"), undefined);
    });

    it("asks nothing of port security where there is none: Neutron would refuse it", () => {
        const server = { port: { portSecurity: false, vnicType: "direct" }, networks: [{ network: "n6" }] };
        const [first, second] = planOf({ server }).servers[0]!.ports;
        deepStrictEqual(first, {
            name: "core-control-plane-1",
            portSecurity: false,
            vnicType: "direct",
            securityGroups: [],
            allowedCidrs: [],
            bearsVip: false,
        });
        deepStrictEqual(second, {
            name: "core-control-plane-1-net2",
            network: { network: "n6" },
            portSecurity: true,
            securityGroups: [],
            allowedCidrs: [],
            bearsVip: false,
        });
    });

    it("gives floating IPs to all nodes, the masters or none", () => {
        const floating = (cloud: Parameters<typeof planOf>[0]) =>
            planOf(cloud).servers.map(server => server.floatingIp);
        const [all, masters, none] = [5, 3, 0].map(count => Array.from({ length: 5 }, (_, i) => i < count));
        deepStrictEqual(floating({}), all);
        deepStrictEqual(floating({ access: { floatingIps: "controlPlane" } }), masters);
        deepStrictEqual(floating({ access: { floatingIps: "none" } }), none);
        deepStrictEqual(floating({ externalNetwork: undefined }), none);
        deepStrictEqual(floating({ ssh: { jump: { host: "bastion" } } }), none);
    });

    it("opens SSH of the jump server only, where there is one", () => {
        const access = { jumpServer: { flavor: "tiny" }, sshCidrs: ["10.1.0.0/16"] };
        const plan = planOf({ access });
        deepStrictEqual([plan.jumpServer?.name, plan.jumpServer?.image], ["core-jump", "debian"]);
        deepStrictEqual(
            plan.jumpServer?.securityGroup.rules.map(({ key }) => key),
            ["ssh-10-1-0-0-16"],
        );
        ok(plan.securityGroup.rules.every(({ key }) => !key.startsWith("ssh")));
        ok(plan.servers.every(server => !server.floatingIp));
        strictEqual(plan.vip?.floatingIp, true);
    });

    it("names volumes after their server", () => {
        const server = {
            bootVolume: { sizeGiB: 20, type: "ssd" },
            volumes: { etcd: { sizeGiB: 4 }, data: { sizeGiB: 9 } },
        };
        const master = planOf({ server }).servers[0]!;
        deepStrictEqual(master.bootVolume, {
            name: "core-control-plane-1-boot",
            key: "boot",
            sizeGiB: 20,
            type: "ssd",
        });
        deepStrictEqual(names(master.volumes), ["core-control-plane-1-data", "core-control-plane-1-etcd"]);
    });
});
