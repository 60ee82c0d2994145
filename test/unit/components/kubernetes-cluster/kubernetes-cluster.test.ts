import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Cnf, KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { check } from "../../../../provider";
import type { NodeSpec } from "../../../../provider/common/model";
import { unknownValue } from "../../../../provider/common/unknown-value";
import { unpack } from "../../../../provider/contract/packed";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { isSecret, type Registered, record, registered } from "../recorder";
import { clusterArgs, sampleKey } from "../sample-args";

const cluster = (args: KubernetesClusterArgs) => () => new KubernetesCluster("core", args);
const nodesBefore = (resources: Registered[], label: string) =>
    registered(resources, label)
        .after.filter(other => /^(Node|Host) /.test(other))
        .sort();

before(() => {
    // The first program loads Pulumi's SDK.
    return record("up", () => undefined).then(() => undefined);
});

describe("the resources of a cluster", () => {
    it("prepare all hosts at once: a Host waits for nothing but the identity, the cluster's record, the masters' record and the operation's start", async () => {
        const { resources } = await record("up", cluster(clusterArgs(3, { a: 2, b: 1 })));
        const hosts = resources.filter(({ label }) => label.startsWith("Host "));
        strictEqual(hosts.length, 6);
        deepStrictEqual(registered(resources, "ClusterRecord core").after, ["ClusterId core"]);
        deepStrictEqual(registered(resources, "OperationStart core").after.sort(), [
            "ClusterId core",
            "ClusterRecord core",
        ]);
        const before = [
            "ClusterId core",
            "ClusterKeys core",
            "ClusterRecord core",
            "Masters core",
            "OperationStart core",
        ];
        for (const host of hosts) deepStrictEqual([...host.after].sort(), before);
    });

    it("let the first master wait until all masters are prepared, masters join one after another, workers together", async () => {
        const { resources } = await record("up", cluster(clusterArgs(3, { a: 2 })));
        const allMasters = ["Host core-m1", "Host core-m2", "Host core-m3"];
        deepStrictEqual(nodesBefore(resources, "Node core-m1"), allMasters);
        deepStrictEqual(nodesBefore(resources, "Node core-m2"), ["Host core-m2", "Node core-m1"]);
        deepStrictEqual(nodesBefore(resources, "Node core-m3"), ["Host core-m3", "Node core-m2"]);
        for (const worker of ["a-1", "a-2"]) {
            const masters = ["Node core-m1", "Node core-m2", "Node core-m3"];
            deepStrictEqual(nodesBefore(resources, `Node core-${worker}`), [`Host core-${worker}`, ...masters]);
        }
    });

    it("are all Ready before a network function's first object: its pods spread over all workers", async () => {
        const { resources } = await record("up", () => {
            const { vim } = cluster(clusterArgs(1, { a: 2 }))();
            new Cnf("web", { vim, objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }] });
        });
        const { after } = registered(resources, "CnfObjects web");
        for (const label of ["OperationEnd core", "VimRegistration core"])
            ok(after.includes(label), `${label} is not among ${after}`);
    });

    it("bring the pod network right after the first master, then the Vim, then the end of the operation", async () => {
        const { resources } = await record("up", cluster(clusterArgs(3, { a: 1 })));
        deepStrictEqual(nodesBefore(resources, "ClusterNetwork core"), ["Node core-m1"]);
        const vim = registered(resources, "VimRegistration core");
        for (const label of ["Node core-m1", "Node core-m2", "Node core-m3", "ClusterNetwork core"]) {
            ok(vim.after.includes(label), label);
        }
        ok(!vim.after.includes("Node core-a-1"), "workers are none of the Vim's business");
        const end = registered(resources, "OperationEnd core");
        for (const label of ["Node core-m3", "Node core-a-1", "ClusterNetwork core", "VimRegistration core"])
            ok(end.after.includes(label), label);
    });

    it("say where the program has each machine", async () => {
        const { resources } = await record("up", cluster(clusterArgs(1, { a: 1 })));
        const pathOf = (label: string) => registered(resources, label).inputs["programPath"];
        for (const type of ["Host", "Node"]) {
            strictEqual(pathOf(`${type} core-m1`), "infrastructure.hosts.controlPlane.m1");
            strictEqual(pathOf(`${type} core-a-1`), "infrastructure.hosts.pools.a.a-1");
        }
    });

    it("of workers say how many of their pool may be interrupted at once, which control-plane nodes do not", async () => {
        const args = clusterArgs(1, { a: 9, b: 1 });
        Object.assign(args.pools!["a"]!, { maxUnavailable: "25%" });
        const { resources } = await record("up", cluster(args));
        for (const type of ["Host", "Node"]) {
            const poolOf = (node: string) => registered(resources, `${type} core-${node}`).inputs["pool"];
            deepStrictEqual(poolOf("a-9"), { name: "a", maxUnavailable: 2 });
            deepStrictEqual(poolOf("b-1"), { name: "b", maxUnavailable: 1 });
            strictEqual(poolOf("m1"), undefined);
        }
    });

    it("say at the end which Nodes they are: one that was replaced is waited for", async () => {
        const { resources } = await record("up", cluster(clusterArgs(1, { a: 1 })));
        const end = unpack(registered(resources, "OperationEnd core").inputs, ["controlPlane", "workers"]);
        const { nodeIds } = end["spec"] as { nodeIds: object };
        deepStrictEqual(nodeIds, { m1: "core-m1-id", "a-1": "core-a-1-id" });
    });

    it("say the same of the whole when a machine moves to another pool", async () => {
        const args = clusterArgs(1, { a: 2 });
        const machines = args.infrastructure.hosts!.pools!;
        const moved: KubernetesClusterArgs = {
            ...args,
            infrastructure: {
                hosts: {
                    ...args.infrastructure.hosts!,
                    pools: { "0-first": { "a-2": machines["a"]!["a-2"]! }, a: { "a-1": machines["a"]!["a-1"]! } },
                },
            },
            pools: { "0-first": {}, a: {} },
        };
        const workersIn = async (program: KubernetesClusterArgs) => {
            const { resources } = await record("up", cluster(program));
            return JSON.stringify(unpack(registered(resources, "OperationEnd core").inputs, [])["workers"]);
        };
        match(await workersIn(args), /a-1.*a-2/);
        strictEqual(await workersIn(moved), await workersIn(args));
    });

    it("push a bundle's images once, beside the hosts and before the first master", async () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
        try {
            const file = {
                path: "images/p.tar",
                kind: "image",
                sha256: "a".repeat(64),
                sizeBytes: 1,
                roles: ["worker"],
            };
            const files = [{ ...file, image: "registry.k8s.io/pause:3.10.1" }];
            const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.36.3", arch: "amd64", files };
            writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
            const source = { bundle: { path: folder, registry: "site:5000" } };
            const registries = { "site:5000": { endpoints: ["https://site:5000"], username: "u", password: "canary" } };
            const args = clusterArgs(3, { a: 1 }, { kubernetes: { version: "1.36.3", source }, registries });
            const { resources } = await record("up", cluster(args));
            const images = registered(resources, "BundleImages core");
            deepStrictEqual(images.after, []);
            const place = images.raw["registry"] as Record<string, unknown>;
            deepStrictEqual([place["address"], isSecret(place["password"])], ["site:5000", true]);
            const waiting = resources.filter(
                ({ label, after }) => label.startsWith("Node ") && after.includes(images.label),
            );
            deepStrictEqual(
                waiting.map(({ label }) => label),
                ["Node core-m1"],
            );
            ok(!registered(resources, "Host core-m1").after.includes(images.label));
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("make a single master with the same shape", async () => {
        const { resources } = await record("up", cluster(clusterArgs(1)));
        deepStrictEqual(resources.map(({ label }) => label).sort(), [
            "ClusterId core",
            "ClusterKeys core",
            "ClusterNetwork core",
            "ClusterRecord core",
            "Host core-m1",
            "KubernetesCluster core",
            "Masters core",
            "Node core-m1",
            "OperationEnd core",
            "OperationStart core",
            "OwnerMark core",
            "Vim core",
            "VimRegistration core",
        ]);
    });

    it("skip goodbyes when the whole cluster goes, but reset every host", async () => {
        const { resources } = await record("up", cluster(clusterArgs(3, { a: 1 })));
        const skipped = resources.filter(({ deletedWith }) => deletedWith === "ClusterId core");
        const kinds = new Set(skipped.map(({ label }) => label.split(" ")[0]));
        deepStrictEqual([...kinds].sort(), ["ClusterNetwork", "Node", "Vim", "VimRegistration"]);
    });

    it("end and start the operation of a destroy, too: neither is skipped", async () => {
        const { resources } = await record("up", cluster(clusterArgs(3, { a: 1 })));
        for (const label of ["OperationStart core", "OperationEnd core"]) {
            strictEqual(registered(resources, label).deletedWith, "", label);
        }
    });
});

describe("what preview shows of a node", () => {
    const stepsIn = (inputs: Record<string, unknown>) =>
        unpack(inputs, [])["steps"] as Record<string, string> | undefined;
    const steps = (resources: Registered[], label: string) => stepsIn(registered(resources, label).inputs)!;

    it("names the steps of each node before the cluster's keys exist", async () => {
        const { resources } = await record("preview", cluster(clusterArgs(3, { a: 1 })));
        for (const label of ["Host core-m1", "Node core-m2", "Node core-a-1", "ClusterNetwork core"]) {
            const shown = Object.values(steps(resources, label));
            ok(shown.length > 0, label);
            deepStrictEqual(new Set(shown), new Set(["to do"]), label);
        }
    });

    it("names the steps of the pod network also where the virtual address is not known yet", async () => {
        const onCloud = cloudArgs();
        const answers = { outputs: (type: string) => (type.endsWith(":ServerKeys") ? { seed: "c2VlZA==" } : {}) };
        const { resources } = await record("preview", cluster(onCloud), answers);
        const shown = steps(resources, "ClusterNetwork core");
        ok(Object.keys(shown).includes("keep Services from taking the virtual address"), JSON.stringify(shown));
        deepStrictEqual(new Set(Object.values(shown)), new Set(["to do"]));
    });

    it("names the same steps in preview and update, then with fingerprints, none of them secret", async () => {
        const args = () =>
            clusterArgs(3, { a: 1 }, { registries: { "*": { endpoints: ["https://m"], password: "p" } } });
        const before = await record("preview", cluster(args()));
        const { resources } = await record("up", cluster(args()));
        for (const { label, inputs, raw } of resources.filter(({ inputs }) => stepsIn(inputs))) {
            deepStrictEqual(
                Object.keys(stepsIn(inputs)!).sort(),
                Object.keys(steps(before.resources, label)).sort(),
                label,
            );
            for (const fingerprint of Object.values(stepsIn(inputs)!)) match(fingerprint, /^[0-9a-f]{12}$/);
            ok(!isSecret(raw["spec"]), label);
        }
    });

    it("shows a changed label at the nodes of its pool only, as one step", async () => {
        const args = (tier: string) => clusterArgs(3, { a: 2, b: 2 }, { pools: { a: { labels: { tier } }, b: {} } });
        const [one, other] = [await record("up", cluster(args("x"))), await record("up", cluster(args("y")))];
        const differing = one.resources.flatMap(({ label, inputs }) => {
            const others = stepsIn(registered(other.resources, label).inputs);
            return Object.entries(stepsIn(inputs) ?? {})
                .filter(([title, fingerprint]) => others![title] !== fingerprint)
                .map(([title]) => `${label}: ${title}`);
        });
        deepStrictEqual(differing.sort(), [
            "Node core-a-1: set labels and taints",
            "Node core-a-2: set labels and taints",
        ]);
    });
});

describe("the secrets of a cluster", () => {
    /** Also finds it in texts within texts, where line ends are written in other ways. */
    const longestLine = (text: string) => text.split("\n").sort((a, b) => b.length - a.length)[0]!;

    it("travel marked: keys, connections, passwords", async () => {
        const args = clusterArgs(
            3,
            { a: 1 },
            {
                registries: { "*": { endpoints: ["https://mirror"], username: "u", password: "canary-password" } },
                proxy: { httpProxy: "http://u:canary-proxy@proxy:3128" },
            },
        );
        const { resources, identity } = await record("up", cluster(args));
        const secrets = [
            "canary-private-key",
            "canary-password",
            "canary-proxy",
            identity.caKey,
            identity.adminKey,
            identity.encryptionKey,
            identity.fingerprintKey,
            identity.serviceAccountKey,
        ];
        for (const { label, raw } of resources) {
            const clear = JSON.stringify(raw, (_, value) => (isSecret(value) ? "secret" : value));
            for (const secret of secrets) ok(!clear.includes(longestLine(secret)), label);
        }
        const all = JSON.stringify(resources.map(({ raw }) => raw));
        for (const secret of secrets) ok(all.includes(longestLine(secret)), "the test sees what it looks for");
    });

    it("do not hide what is none: address, labels and versions can be read in preview", async () => {
        const args = clusterArgs(1, {}, { registries: { "*": { endpoints: ["https://mirror"], password: "p" } } });
        const { resources } = await record("up", cluster(args));
        const spec = JSON.parse(registered(resources, "Host core-m1").raw["spec"] as string);
        strictEqual(spec.address, "10.99.0.11");
        deepStrictEqual(spec.registries[0].endpoints, ["https://mirror"]);
    });

    it("go to masters only, as far as they are keys of the cluster", async () => {
        const { resources } = await record("up", cluster(clusterArgs(1, { a: 1 })));
        const keys = (label: string) => (unpack(registered(resources, label).inputs, [])["spec"] as NodeSpec).keys;
        ok(keys("Node core-m1"));
        strictEqual(keys("Node core-a-1"), undefined);
    });
});

describe("the outputs of a cluster", () => {
    const value = <T>(output: pulumi.Output<T>) => new Promise<T>(resolve => output.apply(resolve));
    const secret = (output: pulumi.Output<unknown>) => pulumi.isSecret(output);

    it("are endpoint, kubeconfig, names and the Vim, of which the kubeconfig alone is secret", async () => {
        const { result, identity } = await record("up", cluster(clusterArgs(3, { a: 1 })));
        strictEqual(await value(result.endpoint), "https://10.99.0.100:16443");
        deepStrictEqual(await value(result.nodes), ["m1", "m2", "m3", "a-1"]);
        strictEqual(await value(result.clusterId), identity.clusterId);
        match(await value(result.kubeconfig), /server: https:\/\/10\.99\.0\.100:16443/);
        deepStrictEqual(
            [await secret(result.kubeconfig), await secret(result.endpoint), await secret(result.clusterId)],
            [true, false, false],
        );
        strictEqual(await value(result.vim.clusterIdentifier), identity.clusterId);
    });

    it("do not change when nodes come and go", async () => {
        const one = await record("up", cluster(clusterArgs(3, { a: 1 })));
        const other = await record("up", cluster(clusterArgs(5, { a: 3 })));
        strictEqual(await value(one.result.kubeconfig), await value(other.result.kubeconfig));
    });

    it("give a single master's address to the operator, who does not know the cluster's own name for it", async () => {
        const { result } = await record("up", cluster(clusterArgs(1)));
        strictEqual(await value(result.endpoint), "https://10.99.0.11:6443");
    });
});

describe("wrong arguments", () => {
    it("are refused before anything but the component itself is registered", async () => {
        await rejects(record("up", cluster(clusterArgs(2))), /2 is not allowed: 1, 3 or 5/);
    });

    it("are refused when they become known, by the first resource: nothing that rejects, which the SDK cannot print", async () => {
        const args = clusterArgs(1);
        Object.assign(args.infrastructure.hosts!.controlPlane["m1"]!, { address: pulumi.output("10.99.0") });
        const { resources } = await record("up", cluster(args));
        const inputs = registered(resources, "ClusterId core").inputs;
        match(String(inputs["problems"]), /KubernetesCluster "core": INVALID_INPUT\n.*"10\.99\.0" is no IP address/);
        const { failures } = (await check("ClusterId", {}, inputs)) as {
            failures: { property: string; reason: string }[];
        };
        deepStrictEqual(failures, [{ property: "", reason: inputs["problems"] }]);
        deepStrictEqual((await check("ClusterId", {}, { ...inputs, problems: unknownValue })).failures, []);
    });

    it("that turn out right let the cluster be made, in clear though there are secrets beside it", async () => {
        const args = clusterArgs(1);
        Object.assign(args.infrastructure.hosts!.ssh!, { privateKey: pulumi.secret(sampleKey) });
        const { resources } = await record("up", cluster(args));
        const { raw } = registered(resources, "ClusterId core");
        strictEqual(raw["clusterName"], "core");
        strictEqual(raw["problems"], undefined);
    });
});
