import { deepStrictEqual, match, ok, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { loginProblems } from "../../../../components/validation/credential-rules";
import { problems, validate } from "../../../../components/validation/validate";
import { clusterArgs, sampleCertificate, sampleKey } from "../sample-args";

type Change = (args: KubernetesClusterArgs) => unknown;
const hosts = (args: KubernetesClusterArgs) => args.infrastructure.hosts!;
const registry = (args: KubernetesClusterArgs, mirror: unknown) => Object.assign(args, { registries: { "*": mirror } });

const characters = "A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends";

/** Change of the input → the message, word for word. */
const table: [promise: string, change: Change, said: string][] = [
    [
        "a container runtime of another origin",
        args => Object.assign(args.kubernetes, { containerRuntime: { from: "apt" } }),
        'kubernetes.containerRuntime.from: "apt" is not allowed: distribution, bundle',
    ],
    [
        "the bundle's container runtime without a bundle",
        args => Object.assign(args.kubernetes, { containerRuntime: { from: "bundle" } }),
        "kubernetes.containerRuntime.from: bundle needs kubernetes.source.bundle",
    ],
    [
        "two masters",
        args => delete hosts(args).controlPlane["m3"],
        "infrastructure.hosts.controlPlane: 2 is not allowed: 1, 3 or 5 (etcd needs a majority)",
    ],
    [
        "a count of two masters",
        args => Object.assign(args.controlPlane!, { count: 2 }),
        "controlPlane.count: 2 is not allowed: 1, 3 or 5 (etcd needs a majority)",
    ],
    [
        "more masters than machines",
        args => Object.assign(args.controlPlane!, { count: 5 }),
        "controlPlane.count: 5 masters wanted, infrastructure.hosts.controlPlane lists 3",
    ],
    [
        "a pool that is bigger than its machines",
        args => Object.assign(args.pools!["workers"]!, { count: 3 }),
        "pools.workers.count: 3 is not allowed: infrastructure.hosts.pools.workers lists 2",
    ],
    [
        "machines of a pool that is none",
        args => Object.assign(hosts(args).pools!, { wokers: {} }),
        'infrastructure.hosts.pools.wokers: there is no such pool in pools; did you mean "workers"?',
    ],
    [
        "machines of a pool, and no pools",
        args => delete args.pools,
        "infrastructure.hosts.pools.workers: there is no such pool in pools: add it, pools: { workers: {} }",
    ],
    [
        "a source that others call so",
        args => Object.assign(args.kubernetes, { source: { yum: {} } }),
        'kubernetes.source.yum: there is no such input; did you mean "dnf"?',
    ],
    [
        "a source that there is not",
        args => Object.assign(args.kubernetes, { source: { homebrew: {} } }),
        "kubernetes.source.homebrew: there is no such input; there are image, bundle, apt, dnf",
    ],
    [
        "a time that never ends",
        args => Object.assign(args, { drain: { timeoutSeconds: 1e12 } }),
        "drain.timeoutSeconds: 1000000000000 is not allowed: at most 604800 (a week)",
    ],
    ...(
        [
            ["192.168.7.5", {}, ""],
            ["10.99.3.100", { prefixLength: 24 }, "/24 "],
        ] as const
    ).map(([address, more, network]): [string, Change, string] => [
        `a virtual address that is not in the nodes' network (${address})`,
        args => Object.assign(args.controlPlane!, { endpoint: { vip: { address, ...more } } }),
        `controlPlane.endpoint.vip.address: ${address} lies outside of the ${network}network of 10.99.0.11, so no machine answers for it there: ` +
            "give a free address of that network; or the `interface` whose network has it",
    ]),
    ...(
        [
            ["https://api.corp.example.com", "such as"],
            ["10.0.0.1:6443", "such as"],
        ] as const
    ).map(([name, such]): [string, Change, string] => [
        `a name that no certificate can have (${name})`,
        args => Object.assign(args.controlPlane!, { certificateSans: [name] }),
        `controlPlane.certificateSans.0: must be a DNS name or an IP address alone, without https:// and port, ${such} "*.api.site"`,
    ]),
    [
        "an external endpoint in capitals",
        args => Object.assign(args.controlPlane!, { endpoint: { external: { host: "API.site." } } }),
        'controlPlane.endpoint.external.host: "API.site." must be in small letters, without a dot at its end: "api.site"',
    ],
    [
        "a network of services that kubeadm does not take",
        args => Object.assign(args, { network: { serviceCidr: "172.0.0.0/8" } }),
        "network.serviceCidr: /8 is not allowed: /12 to /28 (Kubernetes takes no larger and no smaller ones)",
    ],
    [
        "a pool that has no machines, beside one that has",
        args => Object.assign(args.pools!, { wrokers: {} }),
        'pools.wrokers: infrastructure.hosts.pools.wrokers lists no machines; did you mean "workers"? (count: 0 keeps an empty pool)',
    ],
    [
        "a Promise where a version belongs",
        args => Object.assign(args.kubernetes, { version: Promise.resolve("1.36.3") }),
        "kubernetes.version: must be known when the program runs, got a Promise or an Output (await a Promise; an Output cannot be used here)",
    ],
    [
        "an Output where a number belongs, deep inside",
        args => Object.assign(args.pools!["workers"]!, { count: pulumi.output(2) }),
        "pools.workers.count: must be known when the program runs, got a Promise or an Output (await a Promise; an Output cannot be used here)",
    ],
    ...(
        [
            ["127.0.0.1", "is on the loopback interface: give the address at which the other nodes reach the machine"],
            ["fd00::11", "is an IPv6 address: nodes have IPv4 addresses"],
            ["169.254.1.2", "is link-local: give the address at which the other nodes reach the machine"],
            ["224.0.0.18", "is no address of a machine"],
        ] as const
    ).map(([address, problem]): [string, Change, string] => [
        `a node at ${address}`,
        args => Object.assign(hosts(args).controlPlane["m1"]!, { address }),
        `infrastructure.hosts.controlPlane.m1.address: ${address} ${problem}`,
    ]),
    [
        "one host for all machines",
        args => Object.assign(hosts(args).ssh!, { host: "10.0.0.9" }),
        "infrastructure.hosts.ssh.host: would be one host for all machines: give it at the machine that it is of, in its ssh.host",
    ],
    [
        "years to connect",
        args => Object.assign(hosts(args).ssh!, { connectTimeoutSeconds: 1e12 }),
        "infrastructure.hosts.ssh.connectTimeoutSeconds: 1000000000000 is not allowed: 0 to 3600",
    ],
    [
        "the path of a key",
        args => Object.assign(hosts(args).ssh!, { privateKey: "/home/ops/.ssh/id_ed25519" }),
        "infrastructure.hosts.ssh.privateKey: is no private key: give its text (readFileSync of the file), not a path",
    ],
    [
        "the path of one machine's key, and of a jump host's",
        args =>
            Object.assign(hosts(args).controlPlane["m1"]!, {
                ssh: { jump: { host: "10.0.0.1", privateKey: "~/.ssh/id" } },
            }),
        "infrastructure.hosts.controlPlane.m1.ssh.jump.privateKey: is no private key: give its text (readFileSync of the file), not a path",
    ],
    [
        "the path of a registry's certificate",
        args => Object.assign(args, { registries: { "*": { endpoints: ["https://m:5000"], ca: "/etc/ca.pem" } } }),
        "registries.*.ca: is neither a PEM certificate nor a file that can be read: /etc/ca.pem: there is no such file",
    ],
    [
        "a mode that kube-proxy does not have",
        args => Object.assign(args, { kubeProxy: { mode: "nftable" } }),
        'kubeProxy.mode: "nftable" is not allowed: iptables, ipvs, nftables; did you mean "nftables"?',
    ],
    [
        "several masters without an endpoint",
        args => Object.assign(args, { controlPlane: {} }),
        "controlPlane.endpoint: is required with several masters: set vip or external",
    ],
    [
        "a package repository without TLS and without its key",
        args => Object.assign(args.kubernetes, { source: { apt: { repository: "http://mirror/k8s" } } }),
        "kubernetes.source.apt.repository: with http:// anybody on the way can change packages and the key beside them: use https://, or give the signing key as kubernetes.source.apt.key",
    ],
    [
        "a package repository with a login in its URL",
        args => Object.assign(args.kubernetes, { source: { dnf: { repository: "https://u:p@mirror/k8s" } } }),
        "kubernetes.source.dnf.repository: must be without user and password: every user of a node can read it",
    ],
    [
        "the path of a signing key in place of its text",
        args => Object.assign(args.kubernetes, { source: { apt: { key: "./Release.key" } } }),
        "kubernetes.source.apt.key: must be the text of a public key, -----BEGIN PGP PUBLIC KEY BLOCK-----",
    ],
    [
        "quotes in an entry of noProxy",
        args => Object.assign(args, { proxy: { noProxy: ["a.site, b.site", "'c.site'"] } }),
        'proxy.noProxy.1: must be a name, an address or a network, or a list of them split by commas, such as ".site,10.0.0.0/8"',
    ],
    [
        "two endpoints",
        args => Object.assign(args.controlPlane!.endpoint!, { external: { host: "lb" } }),
        "controlPlane.endpoint: set only one of: vip, external",
    ],
    [
        "a VIP that is a machine's address",
        args => Object.assign(args.controlPlane!.endpoint!.vip!, { address: "10.99.0.12" }),
        "controlPlane.endpoint.vip.address: 10.99.0.12 is the address of infrastructure.hosts.controlPlane.m2: take a free one",
    ],
    [
        "a virtual router id out of range",
        args => Object.assign(args.controlPlane!.endpoint!.vip!, { virtualRouterId: 256 }),
        "controlPlane.endpoint.vip.virtualRouterId: 256 is not allowed: 1 to 255",
    ],
    [
        "the API servers' own port for the VIP",
        args => Object.assign(args.controlPlane!.endpoint!.vip!, { port: 6443 }),
        "controlPlane.endpoint.vip.port: 6443 is taken by the API servers themselves",
    ],
    [
        "networks that overlap",
        args => Object.assign(args, { network: { podCidr: "10.96.0.0/12" } }),
        "network.podCidr: 10.96.0.0/12 overlaps network.serviceCidr 10.96.0.0/16",
    ],
    [
        "a network without a prefix",
        args => Object.assign(args, { network: { podCidr: "10.244.0.0" } }),
        'network.podCidr: "10.244.0.0" is no network: write it like "10.244.0.0/16"',
    ],
    [
        "a pod network that is too small",
        args => Object.assign(args, { network: { podCidr: "10.244.0.0/22" } }),
        "network.podCidr: has room for 4 nodes (a /24 each), there are 5",
    ],
    [
        "a pod network with bits of a host: the sample value of Tacker's guides",
        args => Object.assign(args, { network: { podCidr: "192.168.3.0/16" } }),
        "network.podCidr: 192.168.3.0/16 is an address in the network 192.168.0.0/16: write that, or the prefix length of a smaller one",
    ],
    [
        "a service network with bits of a host",
        args => Object.assign(args, { network: { serviceCidr: "10.96.0.1/16" } }),
        "network.serviceCidr: 10.96.0.1/16 is an address in the network 10.96.0.0/16: write that, or the prefix length of a smaller one",
    ],
    [
        "a text where a list belongs",
        args => Object.assign(args, { proxy: { noProxy: "a,b" } }),
        "proxy.noProxy: must be of type array, got string: write [ … ]",
    ],
    [
        "a machine within the pod network",
        args => Object.assign(hosts(args).controlPlane["m1"]!, { address: "10.244.1.1" }),
        "infrastructure.hosts.controlPlane.m1.address: 10.244.1.1 lies in network.podCidr 10.244.0.0/16",
    ],
    [
        "one address for two machines",
        args => Object.assign(hosts(args).controlPlane["m2"]!, { address: "10.99.0.11" }),
        "infrastructure.hosts.controlPlane.m2.address: 10.99.0.11 is the address of infrastructure.hosts.controlPlane.m1 too",
    ],
    [
        "an address that is none",
        args => Object.assign(hosts(args).controlPlane["m2"]!, { address: "10.99.0" }),
        'infrastructure.hosts.controlPlane.m2.address: "10.99.0" is no IP address',
    ],
    [
        "a node name that is no DNS label",
        args => Object.assign(hosts(args).pools!["workers"]!, { Worker_1: { address: "10.99.0.30" } }),
        "infrastructure.hosts.pools.workers.Worker_1: the name must be a DNS label (at most 63 of a-z, 0-9, -)",
    ],
    [
        "the control plane's images by URL",
        args => Object.assign(args.kubernetes, { imageRepository: "https://mirror.site/k8s" }),
        'kubernetes.imageRepository: must be a registry and path, such as "registry.site:5000/mirror"; got "https://mirror.site/k8s"',
    ],
    [
        "one name for two machines",
        args => Object.assign(hosts(args).pools!["workers"]!, { m1: { address: "10.99.0.30" } }),
        "infrastructure.hosts.pools.workers.m1: the name is used by infrastructure.hosts.controlPlane.m1 too",
    ],
    [
        "two machines whose resources would have one name",
        args => {
            args.clusterName = "core";
            Object.assign(hosts(args).pools!["workers"]!, { "core-m1": { address: "10.99.0.30" } });
        },
        "infrastructure.hosts.pools.workers.core-m1: its resources would have the names of those of infrastructure.hosts.controlPlane.m1: rename one of them",
    ],
    [
        "a short version",
        args => Object.assign(args.kubernetes, { version: "1.34" }),
        'kubernetes.version: "1.34" is no full version: write it like "1.36.3"',
    ],
    ...["2.36.3", "1.036.3", "1.36.03"].map((version): (typeof table)[number] => [
        `the version ${version}`,
        args => Object.assign(args.kubernetes, { version }),
        `kubernetes.version: "${version}" is no full version: write it like "1.36.3"`,
    ]),
    [
        "a version whose kubeadm does not read our configuration",
        args => Object.assign(args.kubernetes, { version: "1.30.14" }),
        "kubernetes.version: 1.30.14 is too old: 1.31.0 or later (kubeadm's configuration is v1beta4)",
    ],
    ...(
        [
            ["a b", `the key is not allowed: ${characters}, after a DNS name and / if wanted ("example.com/tier")`],
            ["tier-", `the key is not allowed: ${characters}, after a DNS name and / if wanted ("example.com/tier")`],
            ["", `the key is not allowed: ${characters}, after a DNS name and / if wanted ("example.com/tier")`],
            ["a/b/c", `the key is not allowed: ${characters}, after a DNS name and / if wanted ("example.com/tier")`],
            ["/b", 'the key is not allowed: "" before the / is no DNS name (a-z, 0-9, - and .)'],
            ["a_b.c/d", 'the key is not allowed: "a_b.c" before the / is no DNS name (a-z, 0-9, - and .)'],
            [`x/${"k".repeat(64)}`, "the key is not allowed: its name has 64 characters, 63 is the most"],
        ] as const
    ).flatMap(([key, said]): [string, Change, string][] => [
        ...(["labels", "annotations"] as const).map((input): [string, Change, string] => [
            `"${key}" as a key of ${input}`,
            args => Object.assign(args.pools!["workers"]!, { [input]: { [key]: "v" } }),
            `pools.workers.${input}.${key}: ${said}`,
        ]),
        [
            `"${key}" as a taint's key`,
            args => Object.assign(args.controlPlane!, { taints: [{ key, effect: "NoSchedule" }] }),
            `controlPlane.taints.0.key: ${said}`,
        ],
    ]),
    [
        "a prefix of a label that has capitals",
        args => Object.assign(args.controlPlane!, { labels: { "Example.com/tier": "a" } }),
        'controlPlane.labels.Example.com/tier: the key is not allowed: "Example.com" before the / is no DNS name (a-z, 0-9, - and .)',
    ],
    ...["two words", "-a", "a".repeat(64), "ä"].flatMap((value): [string, Change, string][] => [
        [
            `"${value}" as a label's value`,
            args => Object.assign(args.controlPlane!, { labels: { tier: value } }),
            `controlPlane.labels.tier: "${value}" is not allowed: at most 63 characters: ${characters}`,
        ],
        [
            `"${value}" as a taint's value`,
            args => Object.assign(args.pools!["workers"]!, { taints: [{ key: "a", value, effect: "NoExecute" }] }),
            `pools.workers.taints.0.value: "${value}" is not allowed: at most 63 characters: ${characters}`,
        ],
    ]),
    [
        "a taint twice",
        args =>
            Object.assign(args.pools!["workers"]!, {
                taints: ["a", "b"].map(value => ({ key: "k", value, effect: "NoExecute" })),
            }),
        "pools.workers.taints.1: has the key and the effect of pools.workers.taints.0",
    ],
    ...["vm max_map_count", "swappiness", "vm.swappiness = 1", "-vm.swappiness", "net.ipv4.conf.*.rp_filter", ""].map(
        (name): [string, Change, string] => [
            `"${name}" as a kernel setting`,
            args => Object.assign(args, { sysctls: { [name]: "1" } }),
            `sysctls.${name}: is no name of a kernel setting: write it like "vm.max_map_count"`,
        ],
    ),
    [
        "a kernel setting of several lines",
        args => Object.assign(args.pools!["workers"]!, { sysctls: { "vm.swappiness": "1\nvm.a = 2" } }),
        'pools.workers.sysctls.vm.swappiness: must be one line without control characters, of at most 4096 characters; got "1\\nvm.a = 2"',
    ],
    ...["apiserver+merge", "kube-apiserver+patch", "kube-apiserver+merge.yml", "kube-proxy", "etcd/a"].map(
        (name): [string, Change, string] => [
            `a patch called "${name}"`,
            args => Object.assign(args.controlPlane!, { patches: { [name]: "a: 1" } }),
            `controlPlane.patches.${name}: kubeadm has no such patch: one of kube-apiserver, kube-controller-manager, kube-scheduler, etcd, kubeletconfiguration, corednsdeployment; a number if there are several; +strategic, +merge or +json ("kube-apiserver1+merge")`,
        ],
    ),
    [
        "two sources",
        args => Object.assign(args.kubernetes, { source: { image: {}, apt: {} } }),
        "kubernetes.source: set only one of: image, apt",
    ],
    [
        "an effect that is none",
        args => Object.assign(args.pools!["workers"]!, { taints: [{ key: "a", effect: "NoRun" }] }),
        'pools.workers.taints.0.effect: "NoRun" is not allowed: NoSchedule, PreferNoSchedule, NoExecute',
    ],
    [
        "a CNI that is none",
        args => Object.assign(args, { network: { cni: "calico" } }),
        'network.cni: "calico" is not allowed: bridge, flannel, manifests, none',
    ],
    [
        "cni: manifests without manifests",
        args => Object.assign(args, { network: { cni: "manifests" } }),
        "network.cniManifests: is required with cni: manifests",
    ],
    ...[0, 1.5, -1, "0%", "101%", "2", "25 %"].map((given): [string, Change, string] => [
        `a maxUnavailable of ${JSON.stringify(given)}`,
        args => Object.assign(args.pools!["workers"]!, { maxUnavailable: given }),
        `pools.workers.maxUnavailable: ${JSON.stringify(given)} is not allowed: a whole number from 1, or a percentage from "1%" to "100%"`,
    ]),
    ...[60, 3601, 240.5].map((startTimeoutSeconds): [string, Change, string] => [
        `a start of ${startTimeoutSeconds} s`,
        args => Object.assign(args.kubernetes, { startTimeoutSeconds }),
        `kubernetes.startTimeoutSeconds: ${startTimeoutSeconds} is not allowed: a whole number from 240 to 3600`,
    ]),
    ...[2, 3651, 30.5].map((validityDays): [string, Change, string] => [
        `certificates that hold for ${validityDays} days`,
        args => Object.assign(args, { certificates: { validityDays } }),
        `certificates.validityDays: ${validityDays} is not allowed: a whole number of days from 3 to 3650`,
    ]),
    ...[0, 30, 1.5].map((renewBeforeDays): [string, Change, string] => [
        `certificates that are renewed ${renewBeforeDays} days before the end of 30`,
        args => Object.assign(args, { certificates: { renewBeforeDays, validityDays: 30 } }),
        `certificates.renewBeforeDays: ${renewBeforeDays} is not allowed: a whole number of days, at least 1 and less than the validity of 30 days`,
    ]),
    [
        "a maxUnavailable that is neither a number nor a text",
        args => Object.assign(args.pools!["workers"]!, { maxUnavailable: true }),
        "pools.workers.maxUnavailable: must be of type number or string, got the boolean true",
    ],
    [
        "an Output as maxUnavailable",
        args => Object.assign(args.pools!["workers"]!, { maxUnavailable: pulumi.output("25%") }),
        "pools.workers.maxUnavailable: must be known when the program runs, got a Promise or an Output (await a Promise; an Output cannot be used here)",
    ],
    [
        "a drain policy that is none",
        args => Object.assign(args, { drain: { policy: "force" } }),
        'drain.policy: "force" is not allowed: fail, evict, delete',
    ],
    [
        "a drain policy of a pool that is none",
        args => Object.assign(args.pools!["workers"]!, { drain: { policy: "force", timeoutSeconds: -1 } }),
        'pools.workers.drain.policy: "force" is not allowed: fail, evict, delete',
    ],
    [
        "arguments for a component that is none",
        args => Object.assign(args.controlPlane!, { extraArgs: { apiserver: {} } }),
        'controlPlane.extraArgs.apiserver: "apiserver" is not allowed: apiServer, controllerManager, scheduler, etcd, kubelet',
    ],
    [
        "a proxy that is no URL",
        args => Object.assign(args, { proxy: { httpProxy: "proxy:3128" } }),
        'proxy.httpProxy: must be a URL that begins with http:// or https://, such as "https://mirror.site:5000/path"',
    ],
    [
        "a mirror that is no URL",
        args => Object.assign(args, { registries: { "*": { endpoints: ["mirror:5000"] } } }),
        'registries.*.endpoints.0: must be a URL that begins with http:// or https://, such as "https://mirror.site:5000/path"',
    ],
    [
        "a jump host without an address",
        args => Object.assign(hosts(args).ssh!, { jump: { user: "ops" } }),
        "infrastructure.hosts.ssh.jump.host: is required",
    ],
    [
        "no infrastructure",
        args => Object.assign(args, { infrastructure: {} }),
        "infrastructure: set exactly one of: hosts, heat, nova",
    ],
    [
        "an input that does not exist",
        args => Object.assign(args, { controlPlan: {} }),
        'controlPlan: there is no such input; did you mean "controlPlane"?',
    ],
    [
        "an input deep inside that does not exist",
        args => Object.assign(args.pools!["workers"]!, { lables: {} }),
        'pools.workers.lables: there is no such input; did you mean "labels"?',
    ],
    [
        "a value of another type",
        args => Object.assign(args.pools!["workers"]!, { count: "3" }),
        'pools.workers.count: must be of type number, got the string "3": write it without quotes',
    ],
    [
        "a number where a text belongs",
        args => Object.assign(args, { sysctls: { "vm.max_map_count": 262144 } }),
        "sysctls.vm.max_map_count: must be of type string, got the number 262144: write it in quotes",
    ],
    [
        "a word where a number belongs",
        args => Object.assign(args.controlPlane!, { count: true }),
        "controlPlane.count: must be of type number, got the boolean true",
    ],
    [
        "two ways to say what the service account may do",
        args => Object.assign(args, { vim: { serviceAccount: { clusterAdmin: true, clusterRole: "admin" } } }),
        "vim.serviceAccount: set only one of: clusterRole, clusterAdmin",
    ],
    [
        "half a node in a pool",
        args => Object.assign(args.pools!["workers"]!, { count: 1.5 }),
        "pools.workers.count: 1.5 is not allowed: a whole number of at least 0",
    ],
];

function rename(of: object, from: string, to: string): void {
    const object = of as Record<string, unknown>;
    object[to] = object[from];
    delete object[from];
}

describe("the validation of a cluster", () => {
    const sound = () => clusterArgs(3, { workers: 2 });

    it("has nothing to say about sound arguments", () => {
        deepStrictEqual(problems("KubernetesCluster", sound()), []);
        deepStrictEqual(problems("KubernetesCluster", clusterArgs(1)), []);
        deepStrictEqual(problems("KubernetesCluster", clusterArgs(5, { a: 50, b: 50 })), []);
        const apt = { repository: "http://mirror/k8s", key: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n…" };
        const kubernetes = { version: "1.36.3", source: { apt } };
        deepStrictEqual(problems("KubernetesCluster", { ...sound(), kubernetes }), []);
    });

    for (const [promise, change, said] of table) {
        it(`refuses ${promise}`, () => {
            const args = sound();
            change(args);
            ok(problems("KubernetesCluster", args).includes(said), problems("KubernetesCluster", args).join("\n"));
        });
    }

    it("checks the resource's name as the cluster's where clusterName is undefined", () => {
        const args = { ...sound(), clusterName: undefined };
        Object.assign(hosts(args).pools!["workers"]!, { "core-m1": { address: "10.99.0.30" } });
        throws(
            () => validate("KubernetesCluster", "core", args),
            /core-m1: its resources would have the names of those of/,
        );
    });

    it("takes all settings of nodes that Kubernetes and the kernel take", () => {
        const args = sound();
        const longest = `${"d".repeat(60)}.example.com/${"n".repeat(63)}`;
        const labels = { tier: "core", empty: "", a: "1.0_x-Y", "node-role.kubernetes.io/worker": "", [longest]: "v" };
        Object.assign(args.controlPlane!, {
            labels,
            annotations: { ...labels, "Example.com/Any": "any text,\nof lines" },
            taints: [
                { key: "example.com/a", value: "b", effect: "NoSchedule" },
                { key: "example.com/a", effect: "NoExecute" },
            ],
            patches: Object.fromEntries(
                [
                    "kube-apiserver",
                    "etcd0+json",
                    "kube-scheduler+strategic.yaml",
                    "kubeletconfiguration1+merge.json",
                ].map(name => [name, "a: 1"]),
            ),
        });
        const names = ["vm.max_map_count", "net/ipv4/conf/eth0.100/rp_filter", "net.ipv4.conf.eth0/100.rp_filter"];
        const sysctls = Object.fromEntries(names.map(each => [each, "1 2\t3"]));
        Object.assign(args, { sysctls: { ...sysctls, "net.bridge.bridge-nf-call-iptables": "1" } });
        Object.assign(args.pools!["workers"]!, { labels, sysctls });
        for (const version of ["1.31.0", "1.36.3", "1.99.0"]) {
            Object.assign(args.kubernetes, { version });
            deepStrictEqual(problems("KubernetesCluster", args), []);
        }
    });

    it("takes a pool with count 0 that has no machines yet", () => {
        const args = sound();
        Object.assign(args.pools!, { later: { count: 0 } });
        deepStrictEqual(problems("KubernetesCluster", args), []);
    });

    it("refuses a storage server that there is nothing to log in to with", () => {
        const args = { infrastructure: {}, storage: { server: { address: "10.0.0.31" } } } as never;
        match(loginProblems(args, undefined).join(), /^storage\.server\.ssh,there is nothing to log in with/);
        deepStrictEqual(loginProblems(args, "/run/agent"), []);
        const inCloud = { infrastructure: {}, storage: { server: { flavor: "small" } } } as never;
        deepStrictEqual(loginProblems(inCloud, undefined), []);
    });

    it("refuses machines that there is nothing to log in to with", () => {
        const args = sound() as never as Parameters<typeof loginProblems>[0];
        deepStrictEqual(loginProblems(args, undefined), []);
        const ssh = args.infrastructure.hosts!.ssh as { privateKey?: string; agent?: string };
        delete ssh.privateKey;
        deepStrictEqual(loginProblems(args, "/run/agent"), []);
        deepStrictEqual(loginProblems(args, undefined), [
            [
                "infrastructure.hosts.ssh",
                "there is nothing to log in with: privateKey, agent and password are missing, and SSH_AUTH_SOCK names no running agent",
            ],
        ]);
        ssh.agent = "env";
        Object.assign(args.infrastructure.hosts!.controlPlane["m1"]!, { ssh: { privateKey: sampleKey } });
        const said = loginProblems(args, undefined);
        deepStrictEqual(
            said.map(([place]) => place),
            ["infrastructure.hosts.ssh"],
        );
        match(said[0]![1], /agent is "env" and SSH_AUTH_SOCK/);
    });

    it("says all at once", () => {
        const args = sound();
        for (const [, change] of [table[1]!, table[14]!, table[24]!]) change(args);
        ok(problems("KubernetesCluster", args).length >= 3);
    });

    it("says wrong values beside wrong names and types, all at once, in the order of docs/how-it-works.md", () => {
        const args = sound();
        Object.assign(args.controlPlane!, { count: 2 });
        Object.assign(args.pools!["workers"]!, { lables: {} });
        deepStrictEqual(problems("KubernetesCluster", args), [
            "controlPlane.count: 2 is not allowed: 1, 3 or 5 (etcd needs a majority)",
            'pools.workers.lables: there is no such input; did you mean "labels"?',
        ]);
        Object.assign(args.kubernetes, { version: 1.34 });
        Object.assign(hosts(args).controlPlane["m2"]!, { address: "10.99.0" });
        deepStrictEqual(problems("KubernetesCluster", args), [
            "controlPlane.count: 2 is not allowed: 1, 3 or 5 (etcd needs a majority)",
            'infrastructure.hosts.controlPlane.m2.address: "10.99.0" is no IP address',
            "kubernetes.version: must be of type string, got the number 1.34: write it in quotes",
            'pools.workers.lables: there is no such input; did you mean "labels"?',
        ]);
    });

    it("says of a wrong name or type only that: nothing follows from it", () => {
        const alone: [Change, string][] = [
            [args => Object.assign(args.pools!["workers"]!, { count: "9" }), "pools.workers.count: must be of type"],
            [args => Object.assign(args, { pools: "workers" }), "pools: must be of type object"],
            [args => Object.assign(args, { pools: 5 }), "pools: must be of type object"],
            [args => Object.assign(args, { pools: { workers: null } }), "pools.workers: must be of type object"],
            [args => Object.assign(args, { infrastructure: [] }), "infrastructure: must be of type object"],
            [args => Object.assign(args, { infrastructure: undefined }), "infrastructure: is required"],
            [args => Object.assign(args, { kubernetes: {} }), "kubernetes.version: is required"],
            [args => rename(args.infrastructure, "hosts", "hsots"), "infrastructure.hsots: there is no such input"],
            [args => rename(args.controlPlane!, "endpoint", "endpiont"), "controlPlane.endpiont: there is no such"],
            [args => rename(hosts(args), "pools", "pool"), "infrastructure.hosts.pool: there is no such input"],
            [args => rename(args, "pools", "pool"), "pool: there is no such input"],
            [args => Object.assign(hosts(args), { controlPlane: [] }), "infrastructure.hosts.controlPlane: must be of"],
        ];
        for (const [change, said] of alone) {
            const args = sound();
            change(args);
            const found = problems("KubernetesCluster", args);
            deepStrictEqual([found.length, found[0]?.slice(0, said.length)], [1, said], found.join("\n"));
        }
        for (const args of [undefined, null, 5, "core", []]) ok(problems("KubernetesCluster", args).length > 0);
    });

    it("leaves out of account what is not known yet, and properties that are undefined", () => {
        const args = sound();
        Object.assign(hosts(args).controlPlane["m1"]!, { address: pulumi.output("10.99.0.11"), ssh: undefined });
        Object.assign(hosts(args).ssh!, { privateKey: pulumi.secret("key") });
        deepStrictEqual(problems("KubernetesCluster", args), []);
    });

    it("never shows a value that may be a secret", () => {
        const args = sound();
        Object.assign(hosts(args).ssh!, { privateKey: ["canary-in-a-list"] });
        const said = problems("KubernetesCluster", args).join();
        match(said, /privateKey/);
        ok(!said.includes("canary"), said);
        // What is an Output elsewhere may come from a secret; a text in place of several inputs may contain one.
        const secrets: [string, Change][] = [
            ["infrastructure.hosts.ssh.password", args => Object.assign(hosts(args).ssh!, { password: 24680 })],
            ["proxy.httpProxy", args => Object.assign(args, { proxy: { httpProxy: 24680 } })],
            ["registries.*.password", args => registry(args, { endpoints: [], password: 24680 })],
            ["registries.*", args => registry(args, "24680")],
            ["kubernetes", args => Object.assign(args, { kubernetes: "24680" })],
            ["controlPlane.count", args => Object.assign(args.controlPlane!, { count: "24680".repeat(20) })],
        ];
        for (const [place, change] of secrets) {
            const wrong = sound();
            change(wrong);
            const found = problems("KubernetesCluster", wrong).filter(text => text.startsWith(`${place}: `));
            match(found.join(), /must be of type \w+, got (string|number)(: write it (in|without) quotes)?$/);
        }
    });

    it("has no secret input whose value a message could show: those are never plain", () => {
        const { types } = JSON.parse(readFileSync("schema.json", "utf8")) as {
            types: Record<string, { properties?: Record<string, { secret?: boolean; plain?: boolean }> }>;
        };
        const secrets = Object.values(types)
            .flatMap(({ properties = {} }) => Object.values(properties))
            .filter(({ secret }) => secret);
        ok(secrets.length > 0 && secrets.every(({ plain }) => plain !== true));
    });

    it("throws an error that Pulumi prints without a stack trace", () => {
        throws(
            () => validate("KubernetesCluster", "core", { ...sound(), kubernetes: { version: "x" } }),
            (error: Error & { code: string; __pulumiRunError: boolean }) =>
                error.code === "INVALID_INPUT" &&
                error.__pulumiRunError &&
                error.message.includes('KubernetesCluster "core"') &&
                error.message.includes("kubernetes.version"),
        );
    });
});

describe("the validation of a Vim", () => {
    const sound = { endpoint: "https://10.0.0.1:6443", caCertificate: sampleCertificate, auth: { bearerToken: "t" } };
    const cases: [string, object, string][] = [
        [
            "http",
            { endpoint: "http://10.0.0.1:6443" },
            'endpoint: must be an https URL without a path: "https://10.0.0.100:16443"',
        ],
        [
            "no authority",
            { caCertificate: undefined },
            'caCertificate: give caCertificate (PEM), or sslCaCert: "none" to leave the server unverified',
        ],
        [
            "another word than none",
            { sslCaCert: "off" },
            'sslCaCert: may only be the word "none"; a certificate goes into caCertificate',
        ],
        [
            "two ways to log in",
            {
                auth: {
                    bearerToken: "t",
                    oidc: { clientId: "c", username: "u", password: "p", issuerUrl: "https://i" },
                },
            },
            "auth: set exactly one of: clientCertificate (with clientKey), bearerToken, oidc",
        ],
        [
            "a certificate without its key",
            { auth: { clientCertificate: sampleCertificate } },
            "auth.clientKey: clientCertificate and clientKey go together",
        ],
        [
            "a path that leads to no certificate of an authority",
            { caCertificate: "/etc/site/ca.pem" },
            "caCertificate: is neither a PEM certificate nor a file that can be read: /etc/site/ca.pem: there is no such file",
        ],
        [
            "the path of a client's certificate",
            { auth: { clientCertificate: "/etc/site/client.pem", clientKey: sampleKey.replace(/Comment.*\n/, "") } },
            "auth.clientCertificate: is no PEM certificate: give its text (readFileSync of the file), not a path",
        ],
        [
            "the path of a key",
            { auth: { clientCertificate: sampleCertificate, clientKey: "./client.key" } },
            "auth.clientKey: is no private key: give its text (readFileSync of the file), not a path",
        ],
    ];
    it("has nothing to say about sound arguments", () => {
        deepStrictEqual(problems("Vim", sound), []);
        deepStrictEqual(problems("Vim", { ...sound, caCertificate: undefined, sslCaCert: "none" }), []);
        deepStrictEqual(problems("Vim", { ...sound, auth: { bearerToken: pulumi.secret("t") } }), []);
    });
    for (const [promise, change, said] of cases) {
        it(`refuses ${promise}`, () => deepStrictEqual(problems("Vim", { ...sound, ...change }), [said]));
    }
});
