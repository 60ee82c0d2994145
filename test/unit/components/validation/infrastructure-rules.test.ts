import { deepStrictEqual, ok } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { problems } from "../../../../components/validation/validate";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { clusterArgs } from "../sample-args";

type Change = (args: KubernetesClusterArgs) => unknown;
const nova =
    (more: object): Change =>
    args =>
        Object.assign(args.infrastructure.nova!, more);
const masters =
    (more: object): Change =>
    args =>
        Object.assign(args.controlPlane!, more);
const workers =
    (more: object): Change =>
    args =>
        Object.assign(args.pools!["workers"]!, more);
const at = "infrastructure.nova";

/** Change of the input → the message, word for word. */
const table: [promise: string, change: Change, said: string][] = [
    [
        "two back ends",
        args => Object.assign(args.infrastructure, { heat: {} }),
        "infrastructure: set exactly one of: hosts, heat, nova",
    ],
    ["two masters", masters({ count: 2 }), "controlPlane.count: 2 is not allowed: 1, 3 or 5 (etcd needs a majority)"],
    ["half a worker", workers({ count: 0.5 }), "pools.workers.count: 0.5 is not allowed: 0 or more"],
    ["no flavor", nova({ flavor: undefined }), `pools.workers.flavor: is required, or ${at}.flavor for all servers`],
    ["no image", nova({ image: undefined }), `controlPlane.server.image: is required, or ${at}.image for all servers`],
    [
        "a cluster name that is longer than tags can be",
        args => Object.assign(args, { clusterName: "c".repeat(42) }),
        "clusterName: must be of at most 41 characters with heat or nova: the cloud's tags hold no more",
    ],
    [
        "a pool whose servers would have too long a name",
        args => Object.assign(args, { pools: { ["p".repeat(57)]: {} } }),
        `pools.${"p".repeat(57)}: servers would be called "core-${"p".repeat(57)}-1": more than 63 characters`,
    ],
    [
        "a pool that is called as the masters are",
        args => Object.assign(args, { pools: { "control-plane": {} } }),
        "pools.control-plane: the name is the one of the masters' servers: take another",
    ],
    [
        "a pool name that is no DNS label",
        args => Object.assign(args, { pools: { Upf: {} } }),
        "pools.Upf: the name must be a DNS label (at most 63 of a-z, 0-9, -)",
    ],
    [
        "a router without a way out",
        nova({ externalNetwork: undefined }),
        `${at}.externalNetwork: is required for the router of the network that is made, or ${at}.network.router, or ${at}.network.network for an existing one`,
    ],
    [
        "nodes' network that is none",
        nova({ network: { cidr: "10.100.0.0" } }),
        `${at}.network.cidr: "10.100.0.0" is no IPv4 network: write it like "10.100.0.0/24"`,
    ],
    [
        "nodes' network within the pods'",
        nova({ network: { cidr: "10.244.7.0/24" } }),
        `${at}.network.cidr: 10.244.7.0/24 overlaps network.podCidr 10.244.0.0/16`,
    ],
    [
        "an API address outside of the nodes' network",
        masters({ endpoint: { vip: { address: "10.99.0.100" } } }),
        "controlPlane.endpoint.vip.address: 10.99.0.100 lies outside of the nodes' network 10.100.0.0/24",
    ],
    [
        "settings of a new network for an existing one",
        nova({ network: { network: "a", mtu: 1400 } }),
        `${at}.network.mtu: is only for a network that is made: network.network names an existing one`,
    ],
    [
        "a router for an existing network",
        nova({ network: { network: "a", router: "edge" } }),
        `${at}.network.router: is only for a network that is made: network.network names an existing one`,
    ],
    [
        "a subnet of nothing",
        nova({ network: { subnet: "a" } }),
        `${at}.network.subnet: needs network.network, whose subnet it is`,
    ],
    [
        "a resolver that is no address",
        nova({ network: { dnsServers: ["dns"] } }),
        `${at}.network.dnsServers.0: "dns" is no IP address`,
    ],
    [
        "a word for floating IPs that is none",
        nova({ access: { floatingIps: "controlplane" } }),
        `${at}.access.floatingIps: "controlplane" is not allowed: all, controlPlane, none; did you mean "controlPlane"?`,
    ],
    [
        "floating IPs from nowhere",
        nova({ externalNetwork: undefined, access: { floatingIps: "all" } }),
        `${at}.access.floatingIps: needs ${at}.externalNetwork, from which floating IPs come`,
    ],
    [
        "floating IPs beside a jump server",
        nova({ access: { floatingIps: "all", jumpServer: { flavor: "tiny" } } }),
        `${at}.access.floatingIps: has no meaning with jumpServer, through which all others are reached`,
    ],
    [
        "two jump hosts",
        nova({ access: { jumpServer: { flavor: "tiny" } }, ssh: { jump: { host: "bastion" } } }),
        `${at}.ssh.jump: set only one of: ssh.jump, access.jumpServer`,
    ],
    [
        "a source of connections that is no network",
        nova({ access: { sshCidrs: ["10.0.0.1"] } }),
        `${at}.access.sshCidrs.0: "10.0.0.1" is no network: write it like "10.0.0.0/8"`,
    ],
    [
        "networks with bits of a host: of the nodes",
        nova({ network: { cidr: "10.100.0.7/24" } }),
        `${at}.network.cidr: 10.100.0.7/24 is an address in the network 10.100.0.0/24: write that, or the prefix length of a smaller one`,
    ],
    ...["sshCidrs", "apiCidrs", "nodePortCidrs"].map((key): [string, Change, string] => [
        `networks with bits of a host: ${key}`,
        nova({ access: { [key]: ["0.0.0.0/0", "192.0.2.77/24"] } }),
        `${at}.access.${key}.1: 192.0.2.77/24 is an address in the network 192.0.2.0/24: write that, or the prefix length of a smaller one`,
    ]),
    [
        "networks with bits of a host: of version 6",
        nova({ access: { apiCidrs: ["2001:db8:0:0::1/64"] } }),
        `${at}.access.apiCidrs.0: 2001:db8:0:0::1/64 is an address in the network 2001:db8::/64: write that, or the prefix length of a smaller one`,
    ],
    [
        "a key pair without its user",
        nova({ keyPair: "k", ssh: { agent: "env" } }),
        `${at}.ssh.user: is required with keyPair: the image's user`,
    ],
    [
        "a key pair without its key",
        nova({ keyPair: "k", ssh: { user: "debian" } }),
        `${at}.ssh.privateKey: is required with keyPair, or ssh.agent`,
    ],
    ["a jump host without an address", nova({ ssh: { jump: { user: "a" } } }), `${at}.ssh.jump.host: is required`],
    [
        "a policy that is none",
        workers({ server: { serverGroup: "soft-antiaffinity" } }),
        'pools.workers.server.serverGroup: "soft-antiaffinity" is not allowed: soft-anti-affinity, anti-affinity, soft-affinity, affinity, none; did you mean "soft-anti-affinity"?',
    ],
    [
        "an empty volume",
        nova({ server: { bootVolume: { sizeGiB: 0 } } }),
        `${at}.server.bootVolume.sizeGiB: 0 is not allowed: whole GiB, 1 or more`,
    ],
    [
        "a volume that is called as the boot volume is",
        masters({ server: { volumes: { boot: { sizeGiB: 1 } } } }),
        'controlPlane.server.volumes.boot: the name must be of a-z, 0-9 and -, and not "boot"',
    ],
    [
        "security groups without port security",
        masters({ server: { port: { portSecurity: false }, securityGroups: ["a"] } }),
        "controlPlane.server.port.portSecurity: false excludes securityGroups: Neutron allows none there",
    ],
    [
        "user data that is a script",
        nova({ server: { userData: "#!/bin/sh\necho hello" } }),
        `${at}.server.userData: must be cloud-init configuration: a YAML mapping, begun by "#cloud-config"`,
    ],
    [
        "a way with leftovers that is none",
        nova({ leftovers: "keep" }),
        `${at}.leftovers: "keep" is not allowed: delete, list`,
    ],
    ["no time to boot", nova({ bootTimeoutSeconds: 0 }), `${at}.bootTimeoutSeconds: must be greater than 0`],
    [
        "a pod network without room for all nodes",
        args => Object.assign(args, { network: { podCidr: "10.244.0.0/22" } }),
        "network.podCidr: has room for 4 nodes (a /24 each), there are 5",
    ],
];

describe("the validation of a cluster on a cloud", () => {
    it("has nothing to say about sound arguments", () => {
        deepStrictEqual(problems("KubernetesCluster", cloudArgs()), []);
        const everything = cloudArgs(
            {
                image: undefined,
                network: { cidr: "192.168.0.0/24", dnsServers: ["9.9.9.9"], mtu: 1450 },
                access: { jumpServer: { flavor: "tiny" }, nodePortCidrs: ["10.0.0.0/8"] },
                server: {
                    image: "debian",
                    volumes: { data: { sizeGiB: 10 } },
                    userData: "#cloud-config\npackages: [tcpdump]\n",
                    port: { vnicType: "direct", portSecurity: false },
                },
                keyPair: "mine",
                ssh: { user: "debian", privateKey: pulumi.secret("key") },
                leftovers: "list",
            },
            { controlPlane: { count: 5, endpoint: { vip: { address: "192.168.0.5" } } } },
        );
        deepStrictEqual(problems("KubernetesCluster", everything), []);
        const { nova: ours, ...others } = cloudArgs().infrastructure;
        const heat = { ...cloudArgs(), infrastructure: { ...others, heat: { ...ours, timeoutMinutes: 5 } } };
        deepStrictEqual(problems("KubernetesCluster", heat), []);
    });

    for (const [promise, change, said] of table) {
        it(`refuses ${promise}`, () => {
            const args = cloudArgs();
            change(args);
            ok(problems("KubernetesCluster", args).includes(said), problems("KubernetesCluster", args).join("\n"));
        });
    }

    it("takes a template as the one who says what servers are", () => {
        const heat = { template: { file: "base.yaml" } };
        const args = { ...cloudArgs(), infrastructure: { heat } };
        deepStrictEqual(problems("KubernetesCluster", args), []);
        Object.assign(heat, { flavor: "a" });
        Object.assign(args.pools!["workers"]!, { server: { image: "b" } });
        const why = "has no meaning with infrastructure.heat.template, which says it";
        deepStrictEqual(problems("KubernetesCluster", args), [
            `infrastructure.heat.flavor: ${why}`,
            `pools.workers.server: ${why}`,
        ]);
    });

    it("refuses settings of a cloud's servers for machines that exist", () => {
        const args = clusterArgs(1, { workers: 1 });
        Object.assign(args, { controlPlane: { flavor: "a" } });
        Object.assign(args.pools!["workers"]!, { server: {} });
        deepStrictEqual(problems("KubernetesCluster", args), [
            "controlPlane.flavor: has no meaning with infrastructure.hosts: use heat or nova",
            "pools.workers.server: has no meaning with infrastructure.hosts: use heat or nova",
        ]);
    });

    it("wants to be told the API's address on machines that exist", () => {
        const args = clusterArgs(3, {}, { controlPlane: { endpoint: { vip: {} } } });
        const said = "controlPlane.endpoint.vip.address: is required with infrastructure.hosts";
        deepStrictEqual(problems("KubernetesCluster", args), [said]);
    });
});
