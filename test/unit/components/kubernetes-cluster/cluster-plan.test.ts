import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { defaults } from "../../../../components/common/plain-args";
import { sshTarget } from "../../../../components/common/ssh-target";
import { members, placedMembers } from "../../../../components/infrastructure/hosts/members";
import { clusterPlan, type Files } from "../../../../components/kubernetes-cluster/cluster-plan";
import { clusterArgs } from "../sample-args";

const of = (args: KubernetesClusterArgs, files?: Files, name = "core") =>
    clusterPlan(args, name, placedMembers(args), files);
const names = (args: KubernetesClusterArgs) => members(args).map(({ name }) => name);

describe("the machines of a cluster", () => {
    it("come masters first, then pool by pool, w2 before w10", () => {
        const args = clusterArgs(3, { b: 0, a: 11 });
        args.infrastructure.hosts!.pools!["b"] = { w10: { address: "10.0.0.10" }, w2: { address: "10.0.0.2" } };
        deepStrictEqual(names(args).slice(0, 5), ["m1", "m2", "m3", "a-1", "a-2"]);
        deepStrictEqual(names(args).slice(-3), ["a-11", "w2", "w10"]);
    });

    it("are as many as count says, the first by name", () => {
        const args = clusterArgs(3, { workers: 3 }, { pools: { workers: { count: 1 } } });
        deepStrictEqual(names(args), ["m1", "m2", "m3", "workers-1"]);
    });

    it("do not hang on the order in which maps are written", () => {
        fc.assert(
            fc.property(fc.shuffledSubarray(["w1", "w2", "w3", "w10", "w20"], { minLength: 1 }), order => {
                const pool = Object.fromEntries(order.map((name, i) => [name, { address: `10.0.0.${i}` }]));
                const args = clusterArgs(1, { workers: 0 });
                args.infrastructure.hosts!.pools = { workers: pool };
                const numbers = names(args)
                    .slice(1)
                    .map(name => Number(name.slice(1)));
                deepStrictEqual(
                    numbers,
                    [...numbers].sort((a, b) => a - b),
                );
            }),
        );
    });

    it("keep what is asked of them when others come or go", () => {
        fc.assert(
            fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (one, other) => {
                const a = of(clusterArgs(3, { workers: one }));
                const b = of(clusterArgs(3, { workers: other }));
                for (const name of Object.keys(a.nodes).filter(node => node in b.nodes)) {
                    deepStrictEqual(a.nodes[name], b.nodes[name]);
                    deepStrictEqual(a.hosts[name], b.hosts[name]);
                }
            }),
        );
    });
});

describe("the plan of a cluster", () => {
    it("drains each node as its pool says, a control-plane node as the cluster says", () => {
        const args = clusterArgs(1, { db: 1, web: 1 }, { drain: { policy: "evict" } });
        args.pools!["db"] = { drain: { timeoutSeconds: 900 } };
        const { nodes } = of(args);
        deepStrictEqual(
            ["m1", "db-1", "web-1"].map(name => nodes[name]!.drain),
            [300, 900, 300].map(timeoutSeconds => ({ timeoutSeconds, policy: "evict" })),
        );
    });

    it("gives masters the taint of the control plane, and workers the label of their pool", () => {
        const { nodes } = of(clusterArgs(1, { upf: 1 }));
        deepStrictEqual(nodes["m1"]!.taints, defaults.controlPlaneTaints);
        deepStrictEqual(nodes["upf-1"]!.taints, []);
        deepStrictEqual(nodes["upf-1"]!.labels, { "pulumi-nfv.dev/pool": "upf" });
    });

    it("lets an empty list of taints make masters ordinary nodes", () => {
        const { nodes } = of(clusterArgs(1, {}, { controlPlane: { taints: [] } }));
        deepStrictEqual(nodes["m1"]!.taints, []);
    });

    it("tells every host of all masters, and masters only of a VRRP priority", () => {
        const { hosts } = of(clusterArgs(3, { workers: 1 }));
        const expected = ["m1", "m2", "m3"].map((name, i) => ({ name, address: `10.99.0.${11 + i}` }));
        for (const host of Object.values(hosts)) deepStrictEqual(host.masters, expected);
        ok(hosts["m1"]!.vrrpPriority! >= 1 && hosts["m1"]!.vrrpPriority! <= 254);
        strictEqual(hosts["workers-1"]!.vrrpPriority, undefined);
    });

    it("derives the virtual router id from cluster and address, within 1 to 255", () => {
        const idOf = (address: string, cluster: string) =>
            of(clusterArgs(3, {}, { controlPlane: { endpoint: { vip: { address } } } }), {}, cluster).endpoint.vip!
                .virtualRouterId;
        fc.assert(
            fc.property(fc.ipV4(), fc.string(), (address, cluster) => {
                const id = idOf(address, cluster);
                ok(Number.isInteger(id) && id >= 1 && id <= 255);
                strictEqual(idOf(address, cluster), id);
            }),
        );
        notStrictEqual(idOf("10.0.0.1", "core"), idOf("10.0.0.1", "edge"));
    });

    it("gives a single master an address under a name of the cluster's own", () => {
        const { endpoint } = of(clusterArgs(1));
        strictEqual(endpoint.hostsEntry!.name, endpoint.host);
        strictEqual(endpoint.hostsEntry!.address, "10.99.0.11");
    });

    it("gives pods a network that works offline, unless packages come from the community", () => {
        const cni = (source?: object) => of(clusterArgs(1, {}, { kubernetes: { version: "1.36.3", source } })).cni.cni;
        deepStrictEqual([cni(), cni({ bundle: { path: "b" } }), cni({ apt: {} })], ["bridge", "bridge", "flannel"]);
    });

    it("lets the bundle's registry stand in for the registries of its images, with its authority and login", () => {
        const image = (name: string) => ({
            path: "images/x.tar",
            kind: "image" as const,
            sha256: "a".repeat(64),
            sizeBytes: 1,
            roles: ["worker" as const],
            image: name,
        });
        const bundleFiles = [image("registry.k8s.io/pause:3.10.1"), image("pulumi-nfv.invalid/podnet:1")];
        const at = (registry: string, registries = {}) => {
            const source = { bundle: { path: "/b", registry } };
            const args = clusterArgs(1, {}, { kubernetes: { version: "1.36.3", source }, registries });
            return of(args, { bundleFiles });
        };
        const access = { ca: "PEM", username: "u", password: "p" };
        const own = { endpoints: ["https://10.0.0.5:5000"], ...access };
        for (const key of ["10.0.0.5:5000", "other.site"]) {
            const { bundleImages, hosts } = at("10.0.0.5:5000", { [key]: own });
            deepStrictEqual(bundleImages?.registry, { address: "10.0.0.5:5000", ...access });
            strictEqual(bundleImages?.files.length, 2);
            deepStrictEqual(hosts["m1"]!.registries.slice(1), [
                { registry: "pulumi-nfv.invalid", ...own },
                { registry: "registry.k8s.io", ...own },
            ]);
        }
        const kept = at("10.0.0.5:5000", { "registry.k8s.io": { endpoints: ["https://else"] } });
        deepStrictEqual(
            kept.hosts["m1"]!.registries.map(({ registry, endpoints }) => [registry, endpoints[0]]),
            [
                ["registry.k8s.io", "https://else"],
                ["pulumi-nfv.invalid", "https://10.0.0.5:5000"],
            ],
        );
        deepStrictEqual(at("harbor.site/k8s").hosts["m1"]!.registries[0]!.endpoints, ["https://harbor.site/v2/k8s"]);
        strictEqual(of(clusterArgs(1)).bundleImages, undefined);
    });

    it("asks for the pod network's image by the digest that the bundle says", () => {
        const digest = `sha256:${"b".repeat(64)}`;
        const file = { path: "images/podnet.tar", kind: "image" as const, sha256: "a".repeat(64), sizeBytes: 1 };
        const bundleFiles = [{ ...file, roles: ["worker" as const], image: "pulumi-nfv.invalid/podnet:1", digest }];
        const image = (network: object) => {
            const args = clusterArgs(
                1,
                {},
                { kubernetes: { version: "1.36.3", source: { bundle: { path: "/b" } } }, network },
            );
            return of(args, { bundleFiles }).cni.image;
        };
        strictEqual(image({}), `pulumi-nfv.invalid/podnet@${digest}`);
        strictEqual(image({ cni: "flannel" }), undefined);
        strictEqual(of(clusterArgs(1)).cni.image, undefined);
    });

    it("gives each role the bundle's files that it needs", () => {
        const file = (path: string, roles: ("controlPlane" | "worker")[]) =>
            ({ path, kind: "binary", sha256: "", sizeBytes: 1, roles }) as const;
        const args = clusterArgs(1, { w: 1 }, { kubernetes: { version: "1.36.3", source: { bundle: { path: "b" } } } });
        const { hosts } = of(args, {
            bundleFiles: [file("bin/kubelet", ["controlPlane", "worker"]), file("bin/etcdctl", ["controlPlane"])],
        });
        deepStrictEqual(
            hosts["w-1"]!.source.bundle!.files!.map(f => f.path),
            ["bin/kubelet"],
        );
        strictEqual(hosts["m1"]!.source.bundle!.files!.length, 2);
    });

    it("gives a host the repository of images only if the program has one", () => {
        const hostOf = (more: object) =>
            of(clusterArgs(1, {}, { kubernetes: { version: "1.36.3", ...more } })).hosts["m1"]!;
        strictEqual(hostOf({ imageRepository: "site:5000/k8s" }).imageRepository, "site:5000/k8s");
        strictEqual("imageRepository" in hostOf({}), false);
    });

    it("tells the nodes that containerd comes from the bundle", () => {
        const runtimeFromBundle = (more: object) => {
            const kubernetes = { version: "1.36.3", source: { bundle: { path: "b" } }, ...more };
            return of(clusterArgs(1, {}, { kubernetes })).nodes["m1"]!.runtimeFromBundle;
        };
        strictEqual(runtimeFromBundle({ containerRuntime: { from: "bundle" } }), true);
        strictEqual(runtimeFromBundle({}), undefined);
    });
});

describe("how a machine is reached", () => {
    it("takes the common settings, overridden by its own, and its address as host", () => {
        const target = sshTarget({ user: "ops", port: 22 }, { address: "10.0.0.1", ssh: { port: 2222 } });
        deepStrictEqual(target, { user: "ops", port: 2222, host: "10.0.0.1" });
    });
});
