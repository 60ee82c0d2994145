import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Cnf, KubernetesCluster, Vim } from "../../../../components";
import { pluginIsThere } from "../../../../components/common/plugin-package";
import { isSecret, record } from "../recorder";
import { clusterArgs, sampleCertificate } from "../sample-args";

const vim = () =>
    new Vim("site", {
        endpoint: "https://10.0.0.1:6443",
        caCertificate: sampleCertificate,
        auth: { bearerToken: "canary-token" },
    });
const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: {} };
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "canary-data" } };

describe("a network function", () => {
    it("is applied row by row with the access of its Vim, and waits for the Vim", async () => {
        const { resources } = await record(
            "up",
            () => new Cnf("upf", { vim: vim(), objects: [web, secret], namespace: "demo", timeoutSeconds: 60 }),
        );
        const waitsFor = (label: string) => resources.find(resource => resource.label === label)!.after;
        const [namespace, data, workload] = [
            "CnfNamespace upf/Namespace/demo",
            "Secret upf/Secret/demo/s",
            "Deployment upf/Deployment/demo/web",
        ];
        // No object is applied before the check that none exists.
        deepStrictEqual(waitsFor(namespace!), ["CnfObjects upf", "VimRegistration site"]);
        ok(waitsFor("CnfObjects upf").includes("VimRegistration site"));
        ok(waitsFor(data!).includes(namespace!));
        ok(waitsFor(workload!).includes(data!));
    });

    it("leaves keyed hashes of its Secrets where a plan is made, and no secret; none otherwise", async () => {
        const folder = mkdtempSync(path.join(os.tmpdir(), "nfv-inputs-"));
        const variables = { PULUMI_NFV_INPUTS: folder, PULUMI_NFV_INPUTS_KEY: "canary-key" };
        const program = (a: string) => () =>
            new Cnf("upf", { vim: vim(), objects: [{ ...secret, stringData: { a } }], namespace: "demo" });
        const noted = () =>
            readdirSync(folder)
                .map(file => readFileSync(path.join(folder, file), "utf8"))
                .join("");
        try {
            await record("up", program("canary-data"));
            strictEqual(noted(), "");
            Object.assign(process.env, variables);
            await record("up", program("canary-data"));
            const first = noted();
            match(first, /^\["\S*Secret::upf\/Secret\/demo\/s",\{"stringData":"[0-9a-f]{12}"\}\]$/m);
            ok(!first.includes("canary"), first);
            await record("up", program("canary-other"));
            const hashes = [...noted().matchAll(/"stringData":"(\w+)"/g)].map(([, hash]) => hash);
            strictEqual(new Set(hashes).size, 2);
        } finally {
            for (const name of Object.keys(variables)) delete process.env[name];
            rmSync(folder, { recursive: true });
        }
    });

    it("refuses what is no Vim, and names the cluster's output in place of the cluster", async () => {
        const refusal = async (make: () => unknown, more: object = { objects: [web] }) => {
            let said = "";
            const program = () => new Cnf("upf", { vim: make() as Vim, ...more });
            await rejects(record("up", program), (error: Error) => {
                said = error.message;
                return pulumi.RunError.isInstance(error);
            });
            return said.split("\n").slice(0, -1);
        };
        const problem = "    vim: is no Vim: make one (new nfv.Vim), or give the output vim of a KubernetesCluster";
        deepStrictEqual(await refusal(() => new KubernetesCluster("core", clusterArgs(1))), [
            'Cnf "upf": INVALID_INPUT',
            "    vim: is a KubernetesCluster; did you mean its output vim (core.vim)?",
        ]);
        const wrong = [{}, { endpoint: "https://10.0.0.1:6443" }, "site", 5];
        for (const each of wrong) deepStrictEqual((await refusal(() => each)).slice(1), [problem]);
        const other = () => new pulumi.ComponentResource("a:b:C", "c");
        deepStrictEqual((await refusal(other, {})).slice(1), [
            "    manifests: is required, or objects, or chart",
            problem,
        ]);
        for (const none of [undefined, null]) {
            deepStrictEqual((await refusal(() => none)).slice(1), ["    vim: is required"]);
        }
        deepStrictEqual((await refusal(() => pulumi.output(vim()))).slice(1), [
            "    vim: is an Output or a Promise: give the Vim itself",
        ]);
    });

    it("applies by force what was handed over, and nothing else", async () => {
        const program = () => new Cnf("upf", { vim: vim(), objects: [web], namespace: "demo" });
        for (const [taken, force] of [
            [["apps/v1 Deployment demo web"], { "pulumi.com/patchForce": "true", "pulumi-nfv.dev/hand-over-to": "" }],
            [["apps/v1 Deployment demo other"], {}],
            [undefined, {}],
        ] as const) {
            const outputs = (type: string) =>
                type.endsWith(":OwnerMark") ? { mark: "upf-1" } : type.endsWith(":CnfObjects") ? { taken } : {};
            const { resources } = await record("up", program, { outputs });
            const { inputs } = resources.find(({ label }) => label === "Deployment upf/Deployment/demo/web")!;
            const { annotations } = inputs["metadata"] as { annotations: object };
            deepStrictEqual(annotations, { ...force, "pulumi-nfv.dev/owner": "upf-1" });
        }
    });

    it("leaves definitions of kinds in the cluster when it goes, as everybody's resources of the kind would go with them", async () => {
        const spec = { group: "example.com", names: { kind: "Foo" }, versions: [{ name: "v1" }] };
        const definition = {
            ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
            ...{ metadata: { name: "foos.example.com" }, spec },
        };
        const { resources } = await record("up", () => new Cnf("upf", { vim: vim(), objects: [definition, web] }));
        const retained = resources.filter(({ retainOnDelete }) => retainOnDelete).map(({ label }) => label);
        deepStrictEqual(retained, ["CustomResourceDefinition upf/CustomResourceDefinition/foos.example.com"]);
    });

    describe("with custom resources", () => {
        const spec = { group: "example.com", scope: "Namespaced", names: { kind: "Foo" }, versions: [{ name: "v1" }] };
        const definition = {
            ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
            ...{ metadata: { name: "foos.example.com" }, spec },
        };
        const custom = (kind: string, name: string, annotations?: object) => ({
            ...{ apiVersion: kind === "Foo" ? "example.com/v1" : "other.example/v1", kind },
            metadata: { name, ...(annotations && { annotations }) },
        });
        const run = async (args: object, namespaced: string[] = []) => {
            const outputs = (type: string) => (type.endsWith(":CnfObjects") ? { namespaced } : {});
            const program = () => new Cnf("upf", { vim: vim(), namespace: "demo", ...args });
            const { resources } = await record("up", program, { outputs });
            return (label: string) => resources.find(each => each.label === label);
        };

        it("waits for definitions before their resources, and for all resources at the end", async () => {
            const named = await run({ objects: [custom("Foo", "f"), web, custom("Bar", "b"), definition] });
            const foo = "Foo upf/Foo.example.com/demo/f";
            ok(named("Deployment upf/Deployment/demo/web")!.after.includes("Bar upf/Bar.other.example/demo/b"));
            ok(named(foo)!.after.includes("Deployment upf/Deployment/demo/web"));
            const definitions = named("CnfReadiness upf/definitions")!;
            deepStrictEqual(definitions.inputs["kinds"], [{ apiVersion: "example.com/v1", kind: "Foo" }]);
            ok(named("Bar upf/Bar.other.example/demo/b")!.after.includes("CnfReadiness upf/definitions"));
            const { after, inputs } = named("CnfReadiness upf/ready")!;
            ok(after.includes(foo));
            const awaited = (inputs["objects"] as { name: string }[]).map(({ name }) => name);
            deepStrictEqual(awaited, ["b", "f"]);
        });

        it("waits for kinds that something else defines in the same run", async () => {
            const named = await run({ objects: [custom("Bar", "b"), web], customKinds: ["Bar.other.example"] });
            const { after, inputs } = named("CnfReadiness upf/kinds")!;
            ok(after.includes("Deployment upf/Deployment/demo/web"));
            deepStrictEqual(inputs["kinds"], [{ apiVersion: "other.example/v1", kind: "Bar" }]);
            ok(named("Bar upf/Bar.other.example/demo/b")!.after.includes("CnfReadiness upf/kinds"));
        });

        it("waits once for kinds of several rows that something else defines", async () => {
            const group = "cluster.x-k8s.io";
            const of = (kind: string) => ({ apiVersion: `${group}/v1beta2`, kind, metadata: { name: "site" } });
            const customKinds = [`Cluster.${group}`, `MachineDeployment.${group}`];
            const named = await run({ objects: [of("MachineDeployment"), of("Cluster")], customKinds });
            const cluster = `Cluster upf/Cluster.${group}/demo/site`;
            const pool = named(`MachineDeployment upf/MachineDeployment.${group}/demo/site`)!;
            ok(pool.after.includes(cluster));
            ok(named(cluster)!.after.includes("CnfReadiness upf/kinds"));
            const kinds = named("CnfReadiness upf/kinds")!.inputs["kinds"] as { kind: string }[];
            deepStrictEqual(kinds.map(({ kind }) => kind).sort(), ["Cluster", "MachineDeployment"]);
        });

        it("leaves the wait to Pulumi's plugin where an object says so, and waits for nothing with skipAwait", async () => {
            const annotated = custom("Bar", "a", { "pulumi.com/waitFor": "condition=Ready" });
            const skipped = custom("Bar", "s", { "pulumi.com/skipAwait": "true" });
            const objects = [annotated, skipped, definition];
            strictEqual((await run({ objects }))("CnfReadiness upf/ready"), undefined);
            const readiness = { "other.example/*/Bar": { condition: "Up" } };
            const { inputs } = (await run({ objects, readiness }))("CnfReadiness upf/ready")!;
            strictEqual((inputs["objects"] as object[]).length, 2);
            const named = await run({ objects: [custom("Bar", "b"), definition], skipAwait: true });
            strictEqual(named("CnfReadiness upf/ready"), undefined);
            ok(named("CnfReadiness upf/definitions"));
        });

        it("waits with skipAwait, too, until one is gone: a controller may need what goes after it", async () => {
            const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: {} };
            const named = await run({ objects: [custom("Bar", "b"), web], skipAwait: true });
            const skips = (label: string) =>
                "pulumi.com/skipAwait" in (named(label)!.inputs["metadata"] as { annotations: object }).annotations;
            deepStrictEqual(
                [skips("Bar upf/Bar.other.example/demo/b"), skips("Deployment upf/Deployment/demo/web")],
                [false, true],
            );
        });

        it("puts those that name no namespace into its own where the cluster says that their kind has namespaces", async () => {
            const objects = [custom("Bar", "b"), { ...custom("Zone", "z") }];
            const named = await run({ objects }, ["Bar.other.example"]);
            const namespaceOf = (label: string) =>
                (named(label)!.inputs["metadata"] as { namespace?: string }).namespace;
            strictEqual(namespaceOf("Bar upf/Bar.other.example/demo/b"), "demo");
            strictEqual(namespaceOf("Zone upf/Zone.other.example/demo/z"), undefined);
            const { inputs } = named("CnfObjects upf")!;
            deepStrictEqual(inputs["floating"], ["Bar.other.example", "Zone.other.example"]);
        });

        it("knows the kinds that an earlier function of the program defines", async () => {
            const { resources } = await record("up", () => {
                const site = vim();
                new Cnf("kinds", { vim: site, objects: [definition] });
                new Cnf("upf", { vim: site, objects: [custom("Foo", "f")] });
            });
            const definedFor = (name: string) =>
                resources.find(({ label }) => label === `CnfObjects ${name}`)!.inputs["defined"];
            deepStrictEqual(definedFor("kinds"), ["Foo.example.com"]);
            deepStrictEqual(definedFor("upf"), ["Foo.example.com"]);
        });
    });

    it("takes nothing over but its own: a mark on each object, and only its provider goes on with what exists", async () => {
        const program = () => {
            const site = vim();
            void site.provider;
            return new Cnf("upf", { vim: site, objects: [web], namespace: "demo" });
        };
        const outputs = (type: string) => (type.endsWith(":OwnerMark") ? { mark: "upf-1" } : {});
        const { resources } = await record("up", program, { outputs });
        const named = (label: string) => resources.find(resource => resource.label === label)!;
        strictEqual(named("kubernetes site").inputs["upsertExistingObjects"], "false");
        strictEqual(named("kubernetes site-cnf").inputs["upsertExistingObjects"], "true");
        const { metadata } = named("Deployment upf/Deployment/demo/web").inputs as {
            metadata: { annotations: object };
        };
        deepStrictEqual(metadata.annotations, { "pulumi-nfv.dev/owner": "upf-1" });
        deepStrictEqual(named("CnfObjects upf").inputs["objects"], [
            { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "demo" },
        ]);
        strictEqual(named("CnfNamespace upf/Namespace/demo").inputs["shared"], true);
    });

    it("keeps the data of Secrets and the token of the Vim secret", async () => {
        const { resources } = await record("up", () => new Cnf("upf", { vim: vim(), objects: [web, secret] }));
        const clear = JSON.stringify(
            resources.map(({ raw }) => raw),
            (_, value) => (isSecret(value) ? "" : value),
        );
        ok(!clear.includes("canary"));
        ok(JSON.stringify(resources.map(({ raw }) => raw)).includes("canary-data"));
    });

    it("is refused before anything of it is applied when a kind is not known", async () => {
        const bad = { ...web, kind: "Deploymet" };
        await rejects(
            record("up", () => new Cnf("upf", { vim: vim(), objects: [bad] })),
            /Cnf "upf"(.|\n)*did you mean "Deployment"/,
        );
    });

    it("needs no kubernetes plugin as long as there is none: a Vim alone makes no provider", async () => {
        const { resources } = await record("up", vim);
        strictEqual(
            resources.some(({ label }) => label.startsWith("kubernetes ")),
            false,
        );
        deepStrictEqual(
            resources.map(({ label }) => label),
            ["Vim site", "VimRegistration site"],
        );
    });
});

describe("Pulumi's kubernetes plugin", () => {
    it("is looked for only where the engine may not fetch it, in its cache and, if allowed, in PATH", () => {
        const home = mkdtempSync(path.join(os.tmpdir(), "pulumi-home-"));
        try {
            const env = { PULUMI_HOME: home, PATH: "", PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" };
            strictEqual(pluginIsThere("kubernetes", "4.32.0", env), false);
            strictEqual(pluginIsThere("kubernetes", "4.32.0", { PULUMI_HOME: home, PATH: "" }), true);
            mkdirSync(path.join(home, "bin", "pulumi-resource-kubernetes"), { recursive: true });
            const ambient = { ...env, PATH: path.join(home, "bin") };
            strictEqual(pluginIsThere("kubernetes", "4.32.0", ambient), true);
            strictEqual(
                pluginIsThere("kubernetes", "4.32.0", { ...ambient, PULUMI_IGNORE_AMBIENT_PLUGINS: "true" }),
                false,
            );
            mkdirSync(path.join(home, "plugins", "resource-kubernetes-v4.32.0"), { recursive: true });
            strictEqual(pluginIsThere("kubernetes", "4.32.0", env), true);
            strictEqual(pluginIsThere("kubernetes", "4.33.0", env), false);
        } finally {
            rmSync(home, { recursive: true });
        }
    });
});
