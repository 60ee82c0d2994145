import assert from "node:assert/strict";
import {
    copyFileSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { PulumiProject } from "../../../../dev/pulumi-project";
import { FakeFleet } from "../../../../testing";
import { pulumiEnvironment } from "../../../../tools/pulumi-environment";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot } from "../../../support/user-project";
import { machine, testIdentity } from "../../../unit/provider/support/cluster";

interface StoredResource {
    urn: string;
    type: string;
    id?: string;
    inputs: Record<string, unknown>;
    outputs: Record<string, unknown>;
    initErrors?: string[];
}

const canary = "canary-2f9c41d7";

/** The real engine, the dynamic resources in their own process, and simulated machines. */
describe("dynamic resources in the real engine", () => {
    let folder: string;
    let fleet: FakeFleet;
    let project: PulumiProject;
    const clusterName = "core";
    let labels: Record<string, string> = {};
    let names = ["m1", "w1"];
    let kubernetesVersion = "1.34.4";
    let rotate: object | undefined;

    before(async function () {
        skipIf(this, notBuilt());
        folder = mkdtempSync(join(tmpdir(), "nfv-dynamic-"));
        fleet = await FakeFleet.start({
            nodes: ["m1", "w1"],
            password: canary,
            controlPlane: "abcdef.0123456789abcdef\n",
        });
        project = await newProject("app", { name: "app", version: "1.0.0", main: "index.js" });
    });

    after(async () => {
        await project?.destroy().catch(() => {});
        await fleet?.stop();
        if (folder) rmSync(folder, { recursive: true, force: true });
    });

    /** A user's project, with the package in its node_modules. */
    async function newProject(name: string, packageJson: object): Promise<PulumiProject> {
        const app = join(folder, name);
        mkdirSync(join(app, "node_modules"), { recursive: true });
        symlinkSync(projectRoot, join(app, "node_modules/pulumi-nfv"));
        symlinkSync(join(projectRoot, "node_modules/@pulumi"), join(app, "node_modules/@pulumi"));
        writeFileSync(
            join(app, "Pulumi.yaml"),
            `name: ${name}\nruntime: {name: nodejs, options: {typescript: false}}\n`,
        );
        writeFileSync(join(app, "package.json"), JSON.stringify(packageJson));
        copyFileSync(join(projectRoot, "test/integration/provider/dynamic/program.js"), join(app, "index.js"));
        const state = join(folder, "state");
        const environment = await pulumiEnvironment({ plugins: [], stateFolder: state });
        return PulumiProject.open({
            folder: app,
            pulumi: environment.pulumi,
            env: environment.env,
            state,
            stack: "dev",
        });
    }

    async function describeMachines(app = "app"): Promise<void> {
        const identity = await testIdentity();
        const machines = names.map(name => {
            const role = name.startsWith("m") ? "controlPlane" : "worker";
            const connection = { ...fleet.target(name), password: canary, connectTimeoutSeconds: 1 };
            const { host, node } = machine(identity, name, role, connection, {}, name === "w1" ? { labels } : {});
            const { keys: _, ...nodeSpec } = node.spec;
            const version = { kubernetesVersion };
            return { name, connection, host: { ...host.spec, ...version }, node: { ...nodeSpec, ...version } };
        });
        const description = { package: projectRoot, clusterName, rotate, machines };
        writeFileSync(join(folder, app, "machines.json"), JSON.stringify(description));
    }

    const up = async () => {
        await describeMachines();
        return project.up();
    };
    const preview = async () => {
        await describeMachines();
        return project.events(["preview"]);
    };
    const stored = async () =>
        ((JSON.parse(await project.exportStack()).deployment.resources ?? []) as StoredResource[]).filter(({ type }) =>
            type.startsWith("pulumi-nodejs:dynamic"),
        );
    const changes = (events: EngineEvent[]) => {
        const { same: _, ...others } = events.find(event => event.summaryEvent)!.summaryEvent!.resourceChanges;
        return others;
    };

    it("P14: keeps a resource that failed midway, shows what is still to do, and goes on with the next up", async () => {
        fleet.node("w1").agent.failStep("host.sysctls");
        await assert.rejects(up(), /step "set kernel parameters" failed: w1/);
        const kept = (await stored()).find(({ urn }) => urn.endsWith("Host::w1"))!;
        assert.ok(kept.initErrors!.length > 0);
        assert.equal(kept.outputs.__provider, kept.inputs.__provider);
        const events = await preview();
        const remark = events.find(event => event.diagnosticEvent?.message.includes("still to do"))?.diagnosticEvent;
        assert.match(remark?.message ?? "", /still to do: set kernel parameters/);
        assert.match(remark?.urn ?? "", /Host::w1$/);
        const begun = fleet.begun().length;
        await up();
        assert.equal(
            fleet
                .begun()
                .slice(begun)
                .filter(step => step.startsWith("w1"))[0],
            "w1 host.sysctls",
        );
    });

    it("changes nothing when nothing changed", async () => {
        assert.deepEqual(changes(await preview()), {});
    });

    it("P1, P2: stores a provider of less than 1 kB, the same for all of a type, that captured nothing", async () => {
        const resources = await stored();
        assert.equal(resources.length, 7);
        for (const { inputs, outputs, type } of resources) {
            const text = inputs.__provider as string;
            assert.ok(typeof text === "string" && text.length < 1000, `${type}: ${text.length}`);
            assert.equal(outputs.__provider, text);
        }
        const hosts = resources.filter(({ type }) => type.endsWith("Host")).map(({ inputs }) => inputs.__provider);
        assert.equal(new Set(hosts).size, 1);
    });

    it("P3: has no secret in the state, its history and backups, not a canary and not one private key", async () => {
        const shown = await project.stack.exportStack();
        const secrets = new Set([canary]);
        for (const { outputs = {} } of shown.deployment.resources as StoredResource[]) {
            for (const text of JSON.stringify(outputs).match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]{40,}/g) ?? []) {
                secrets.add(text.slice(text.indexOf("\\n") + 2).slice(0, 60));
            }
        }
        assert.ok(secrets.size >= 6, "keys of the identity and of the machines");
        const files = (
            readdirSync(project.stateFolder, { recursive: true, withFileTypes: true }) as import("node:fs").Dirent[]
        )
            .filter(entry => entry.isFile())
            .map(entry => join(entry.parentPath, entry.name));
        assert.ok(files.some(file => file.includes("history")));
        for (const file of files) {
            const text = readFileSync(file, "utf8");
            for (const secret of secrets) assert.ok(!text.includes(secret), `${file} contains ${secret.slice(0, 12)}…`);
            assert.ok(!text.includes("PRIVATE KEY"), file);
        }
    });

    it("P11: shows a changed label as one step of one node, by its title", async () => {
        labels = { tier: "core" };
        const steps = (await preview()).flatMap(event => event.resourcePreEvent?.metadata ?? []);
        const changed = steps.filter(({ op }) => op !== "same");
        assert.deepEqual(
            changed.map(({ urn, op }) => `${op} ${urn.split("::").at(-1)} ${urn.split(":").at(-3)}`),
            ["update w1 Node"],
        );
        const diff = await project.preview("--diff");
        assert.match(diff, /~ set labels and taints\s*: "[0-9a-f]{12}" => "[0-9a-f]{12}"/);
        assert.equal(diff.match(/"[0-9a-f]{12}" => "[0-9a-f]{12}"/g)!.length, 1);
    });

    it("P15: shows its progress in the row of the resource while it runs", async () => {
        await describeMachines();
        const events = await project.events(["up", "--yes", "--skip-preview"]);
        const lines = events.flatMap(event => event.diagnosticEvent ?? []).filter(line => line.ephemeral);
        const line = lines.find(({ message }) => message.includes("1/1 set labels and taints"));
        assert.match(line?.urn ?? "", /pulumi-nodejs:dynamic\/nfv:Node::w1$/);
    });

    it("refuses a Kubernetes version that skips a minor at preview, in plain words, and then touches nothing", async () => {
        kubernetesVersion = "1.36.0";
        try {
            const begun = fleet.begun().length;
            for (const run of [preview, up]) {
                await assert.rejects(run(), (error: Error) => {
                    assert.match(error.message, /m1: INVALID_INPUT/);
                    assert.match(error.message, /from 1\.34\.4 to 1\.36\.0 skips a minor version/);
                    assert.doesNotMatch(error.message, /resources\/upgrade\.js/, "no stack trace");
                    return true;
                });
            }
            // The engine's own display shows an error in its resource's row, and again under this heading.
            const { output } = await project.start(["preview", "--non-interactive"]).done;
            const [, diagnostics] = output.split(/^Diagnostics:$/m);
            assert.equal(diagnostics?.match(/m1: INVALID_INPUT/g)?.length, 1, output);
            const started = fleet.begun().slice(begun);
            assert.ok(!started.some(step => / (node|cluster)\./.test(step)), started.join());
        } finally {
            kubernetesVersion = "1.34.4";
        }
        await up();
    });

    it("P16: has a type of its own for each kind of resource", async () => {
        const types = new Set((await stored()).map(({ type }) => type));
        assert.deepEqual(
            [...types].sort(),
            ["ClusterId", "ClusterKeys", "Host", "Masters", "Node"].map(type => `pulumi-nodejs:dynamic/nfv:${type}`),
        );
    });

    it("P10: keeps what clients hang on while nodes come and go, and at preview too", async () => {
        const before = await project.output("caCertificate");
        names = ["m1"];
        const events = await preview();
        assert.deepEqual(changes(events), { delete: 2 });
        await up();
        assert.equal(await project.output("caCertificate"), before);
        names = ["m1", "w1"];
        await up();
        assert.equal(await project.output("caCertificate"), before);
    });

    it("keeps the id of a cluster known at a preview that will change its keys, and replaces nothing", async () => {
        rotate = { authorities: "next" };
        try {
            const events = await preview();
            const kinds = events.flatMap(({ resourcePreEvent }) => {
                const { op, type } = resourcePreEvent?.metadata ?? {};
                return type?.includes("dynamic/nfv:") ? [`${type.split(":").at(-1)} ${op}`] : [];
            });
            assert.deepEqual([...new Set(kinds)].sort(), [
                "ClusterId same",
                "ClusterKeys update",
                "Host update",
                "Masters same",
                "Node update",
            ]);
            const shown = events.flatMap(({ resourcePreEvent }) => {
                const step = resourcePreEvent?.metadata as { new?: { inputs?: { spec?: string | object } } };
                return step?.new?.inputs?.spec ?? [];
            });
            // One text, where all is known.
            const ids = shown.map(spec => (typeof spec === "string" ? JSON.parse(spec) : spec).clusterId);
            assert.ok(ids.length >= 4, `${ids.length}`);
            const { id } = (await stored()).find(({ type }) => type.endsWith(":ClusterId"))!;
            assert.deepEqual([...new Set(ids)], [id]);
        } finally {
            rotate = undefined;
        }
        assert.deepEqual(changes(await preview()), {});
    });

    it("P17: a refresh finds a step that is no longer done, and keeps what it cannot reach", async () => {
        delete fleet.node("w1").agent.journal["host.sysctls"];
        const said = await project.refresh();
        const hostOf = async (name: string) => (await stored()).find(({ urn }) => urn.endsWith(`Host::${name}`))!;
        assert.equal(JSON.parse((await hostOf("w1")).outputs.done as string)["host.sysctls"], undefined, said);
        assert.deepEqual(changes(await preview()), { update: 1 });
        await up();
        await fleet.node("w1").powerOff();
        const output = await project.refresh();
        assert.match(output, /w1: kept as it was/);
        assert.ok((await hostOf("w1")).id);
        await fleet.node("w1").powerOn();
    });

    it("removes everything, also a resource that never was complete", async () => {
        labels = { tier: "edge" };
        await project.destroy();
        assert.deepEqual(await stored(), []);
        assert.deepEqual(fleet.node("w1").agent.journal, {});
        fleet.node("w1").agent.failStep("host.sysctls");
        await assert.rejects(up());
        await project.destroy();
        assert.deepEqual(fleet.node("w1").agent.journal, {});
    });

    it("ends at Ctrl-C in the middle of a step: lease free, state kept; the next run waits for that step and goes on", async () => {
        const w1 = fleet.node("w1");
        const seen = fleet.events.length;
        const sysctls = (event: string) =>
            fleet.events
                .slice(seen)
                .filter(each => each.event === event && each.step === "host.sysctls" && each.node === "w1");
        w1.agent.failStep("host.sysctls", 1, { exitCode: 0, seconds: 25 });
        await describeMachines();
        const run = project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        while (sysctls("begin").length === 0) await sleep(50);
        process.kill(run.pid, "SIGINT");
        const { code, output } = await run.done;
        assert.notEqual(code, 0);
        assert.match(output, /w1: .*CANCELLED/);
        assert.equal(sysctls("end").length, 0, "it did not wait for the step");
        assert.equal(w1.agent.lease, undefined);
        const host = (await stored()).find(({ urn }) => urn.endsWith("Host::w1"))!;
        assert.ok((host.outputs.pending as string[]).includes("set kernel parameters"));
        await up();
        assert.deepEqual([sysctls("begin").length, sysctls("end").length], [1, 1]);
        await project.destroy();
    });

    it("finds the package from within itself, as its own examples do", async () => {
        const { exports, name } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const own = await newProject("own", {
            name,
            exports: { ...exports, ".": "./index.js" },
            main: "index.js",
            version: "1.0.0",
        });
        rmSync(join(folder, "own/node_modules/pulumi-nfv"));
        symlinkSync(join(projectRoot, "dist"), join(folder, "own/dist"));
        names = [];
        await describeMachines("own");
        await own.up();
        assert.match(await own.output("clusterId"), /^core-[0-9a-f]{8}$/);
        await own.destroy();
    });
});
