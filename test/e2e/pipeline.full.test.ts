import { strict as assert } from "node:assert";
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { asStory } from "../support/story";
import { canaries, clusterArguments, type Fixture, openFixture } from "./cluster-fixture";

const backups = "/srv/etcd-snapshots";

interface Ended {
    code: number | null;
    stdout: string;
    /** Both streams. */
    output: string;
}

/** The command line of operations, with a real kubeadm cluster. Its smaller counterpart: test/integration/pipeline/interrupted.test.ts. */
describe("operations by `nfv` on nodes", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let all = "";

    before(async () => {
        fixture = await openFixture({ name: "pipeline", nodes: ["m1", "w1", "w2"] });
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1", "w2"] }) as Record<string, any>;
        args["pools"].workers.count = 1;
        // a folder on the disk of the system is refused
        await fixture.lab.mustSsh("m1", `install -d ${backups} && mount -t tmpfs backups ${backups}`);
        args["etcdBackup"] = { repository: { folder: backups } };
        const secrets = {
            privateKey: fixture.lab.node("m1").privateKey,
            backupPassword: "battery staple",
            ...canaries,
        };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    });
    after(async () => {
        await fixture?.close();
    });

    /** Starts `nfv …` in the project's folder, in the network of the nodes. */
    function start(...args: string[]): { child: ChildProcess; done: Promise<Ended> } {
        const stack = args[0] === "report" ? [] : ["--stack", "pipeline"];
        const nfv = [process.execPath, path.join(projectRoot, "dist/pipeline/nfv.js"), ...args, ...stack];
        const [program, ...rest] = fixture.lab.enter(nfv);
        const env = { ...process.env, ...fixture.project.env };
        const child = spawn(program!, rest, { cwd: path.join(projectRoot, "test/e2e/program"), env });
        let stdout = "";
        let output = "";
        child.stdout.on("data", data => (stdout += data));
        for (const stream of [child.stdout, child.stderr]) stream.on("data", data => (output += data));
        const done = new Promise<Ended>(resolve =>
            child.on("close", code => {
                all += output;
                resolve({ code, stdout, output });
            }),
        );
        return { child, done };
    }
    const nfv = (...args: string[]) => start(...args).done;
    const succeeds = async (...args: string[]) => {
        const ended = await nfv(...args);
        assert.equal(ended.code, 0, ended.output);
        return ended;
    };
    const file = (name: string) => path.join(fixture.folder, name);
    const nodes = async () =>
        (await fixture.kubectl("get", "nodes", "--no-headers", "-o", "custom-columns=:metadata.name"))
            .trim()
            .split(/\s+/)
            .sort();
    const hashIn = (text: string) => {
        const [, hash] = /^plan ([0-9a-f]{8,})$/m.exec(text) ?? [];
        assert.ok(hash, text);
        return hash;
    };

    it("make the cluster; each event is a line of JSON", async () => {
        const { stdout } = await succeeds("instantiate", "--yes", "--json");
        const events = stdout
            .trim()
            .split("\n")
            .map(line => JSON.parse(line));
        assert.deepEqual(events.at(-1).type, "summary");
        fs.writeFileSync(file("events.jsonl"), stdout);
        assert.deepEqual(await nodes(), ["m1", "w1"]);
    });

    it("scale by the plan that was approved, and by no other", async () => {
        const { output } = await succeeds("scale", "workers=2", "--preview", "--markdown", file("plan.md"));
        const hash = hashIn(output);
        assert.match(fs.readFileSync(file("plan.md"), "utf8"), /w2/);
        assert.deepEqual(await nodes(), ["m1", "w1"]);
        const other = await nfv("scale", "workers=2", "--plan", "0".repeat(hash.length));
        assert.match(other.output, /PLAN_CHANGED/);
        assert.notEqual(other.code, 0);
        assert.deepEqual(await nodes(), ["m1", "w1"]);
        await succeeds("scale", "workers=2", "--plan", hash, "--junit", file("run.xml"));
        assert.match(fs.readFileSync(file("run.xml"), "utf8"), /<testsuite/);
        assert.deepEqual(await nodes(), ["m1", "w1", "w2"]);
    });

    it("are stopped by a guard before anything changes", async () => {
        const { code, output } = await nfv("scale", "workers=1", "--yes", "--forbid-replace", "w2");
        assert.notEqual(code, 0);
        assert.match(output, /GUARD_REFUSED[\s\S]*w2/);
        assert.deepEqual(await nodes(), ["m1", "w1", "w2"]);
        assert.match((await succeeds("preview")).output, /nothing changes/);
    });

    it("heal a node once for each word", async () => {
        const uid = () => fixture.kubectl("get", "node", "w2", "-o", "jsonpath={.metadata.uid}");
        const former = await uid();
        await succeeds("heal", "w2", "--run", "job-1", "--yes");
        const healed = await uid();
        assert.notEqual(healed, former);
        await succeeds("heal", "w2", "--run", "job-1", "--yes");
        assert.equal(await uid(), healed);
    });

    it("repair a node whose kubelet somebody stopped, and leave what others changed elsewhere", async () => {
        const state = (node: string) =>
            fixture.lab.mustSsh(node, "systemctl is-active kubelet || true; sysctl -n net.ipv4.ip_forward");
        await fixture.lab.mustSsh("w2", "systemctl stop kubelet; sysctl -q net.ipv4.ip_forward=0");
        await fixture.lab.mustSsh("w1", "sysctl -q net.ipv4.ip_forward=0");
        const refused = await nfv("repair", "elsewhere", "--yes");
        assert.notEqual(refused.code, 0);
        assert.equal(await state("w2"), "inactive\n0\n");
        await succeeds("repair", "w2", "--yes");
        assert.equal(await state("w2"), "active\n1\n");
        assert.equal(await state("w1"), "active\n0\n");
        await succeeds("repair", "w1", "--yes");
        assert.equal(await state("w1"), "active\n1\n");
        assert.match((await succeeds("preview")).output, /nothing changes/);
    });

    it("exchange a key, make a snapshot of etcd and bring it back, once for each word", async () => {
        const keyOn = () =>
            fixture.lab.mustSsh("m1", "sudo sha256sum /etc/kubernetes/pulumi-nfv/kube-apiserver/encryption.yaml");
        const former = await keyOn();
        await succeeds("rotate", "encryptionKey", "--run", "2026-11", "--yes");
        const exchanged = await keyOn();
        assert.notEqual(exchanged, former);
        await fixture.kubectl("create", "configmap", "kept");
        await succeeds("backup", "--run", "before", "--yes");
        await fixture.kubectl("create", "configmap", "lost");
        await succeeds("restore", "--run", "back", "--yes", "--html", file("restore.html"));
        const maps = await fixture.kubectl("get", "configmaps", "-o", "name");
        assert.match(maps, /kept/);
        assert.doesNotMatch(maps, /lost/);
        for (const again of [
            ["rotate", "encryptionKey", "--run", "2026-11"],
            ["restore", "--run", "back"],
        ])
            await succeeds(...again, "--yes");
        assert.equal(await keyOn(), exchanged);
        assert.equal(await fixture.kubectl("get", "configmaps", "-o", "name"), maps);
    });

    it("end with 130 at SIGTERM, and the next one goes on", async () => {
        const { child, done } = start("scale", "workers=1", "--yes", "--json");
        let seen = "";
        await new Promise<void>(resolve =>
            child.stdout!.on("data", data => {
                seen += data;
                if (/"type":"node".*"node":"w2"/.test(seen)) resolve();
            }),
        );
        child.kill("SIGTERM");
        const { code, output } = await done;
        assert.equal(code, 130, output);
        await succeeds("scale", "workers=1", "--yes");
        assert.deepEqual(await nodes(), ["m1", "w1"]);
    });

    it("terminate it, and leave nothing on the machines", async () => {
        const hash = hashIn((await succeeds("terminate", "--preview")).output);
        await succeeds("terminate", "--plan", hash);
        assert.equal((await fixture.lab.ssh("m1", "sudo test -e /var/lib/pulumi-nfv")).code, 1);
    });

    it("show no secret, in no output and no report", async () => {
        await succeeds("report", file("events.jsonl"), "--markdown", file("all.md"), "--junit", file("all.xml"));
        const reports = ["plan.md", "run.xml", "events.jsonl", "restore.html", "all.md", "all.xml"].map(name =>
            fs.readFileSync(file(name), "utf8"),
        );
        for (const text of [all, ...reports]) {
            for (const secret of [...Object.values(canaries), "battery staple"]) assert.ok(!text.includes(secret));
            assert.doesNotMatch(text, /PRIVATE KEY/);
        }
    });
});
