import { strict as assert } from "node:assert";
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { Lab } from "../../lab";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { type Clients, endClients, openClients } from "./upgrade-clients";
import { minors, openUpgrade, programsOf, type UpgradeFixture } from "./upgrade-fixture";
import { longestGap } from "./writer";

const [from, ...later] = minors;
const through = later.slice(0, -1);
const [first, second] = through;
const to = later.at(-1)!;
const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];
const all = (version: string) => Object.fromEntries([...masters, ...workers].map(name => [name, `v${version}`]));

/** `nfv upgrade` over three genuine minors, under clients. Its smaller counterpart: test/unit/pipeline/plan/chain.test.ts. */
describe("a cluster that goes over three minor versions by one command", function () {
    this.timeout("80m");
    asStory(this);
    let fixture: UpgradeFixture;
    let bundle: string;
    let clients: Clients;

    before(async function () {
        this.timeout("180m");
        fixture = await openUpgrade("upgradechain", masters, workers, minors);
        for (const version of later) await programsOf(version, fixture.folder);
        bundle = path.join(fixture.folder, "bundle-{version}");
        assert.deepEqual(await fixture.versions(), all(from));
        clients = await openClients(fixture, workers);
    });
    after(async () => {
        endClients(clients);
        await fixture?.close();
    });

    /** Starts `nfv …` in the project's folder, in the network of the nodes. */
    function start(args: string[], onText: (text: string, child: ChildProcess) => void = () => {}) {
        const nfv = [
            process.execPath,
            path.join(projectRoot, "dist/pipeline/nfv.js"),
            ...args,
            "--stack",
            "upgradechain",
        ];
        const [program, ...rest] = fixture.lab.enter(nfv);
        const env = { ...process.env, ...fixture.project.env };
        const child = spawn(program!, rest, { cwd: path.join(projectRoot, "test/e2e/program"), env });
        let output = "";
        for (const stream of [child.stdout, child.stderr])
            stream.on("data", data => {
                output += data;
                onText(String(data), child);
            });
        return new Promise<{ code: number | null; output: string }>(resolve =>
            child.on("close", code => resolve({ code, output })),
        );
    }
    const chain = (...more: string[]) => ["upgrade", to, "--through", through.join(), "--bundle", bundle, ...more];
    const file = (name: string) => path.join(fixture.folder, name);
    /** Prints what the clients met since the last call, and returns the longest time without the API, in seconds. */
    function met(what: string): number {
        const writes = clients.writer.since();
        const { requests, failures } = clients.client.since();
        const gap = longestGap(writes);
        const lost = writes.filter(({ by }) => by === undefined).length;
        console.log(
            `      ${what}: ${gap} s without the API; ${lost} of ${writes.length} writes and ${failures.length} of ${requests} requests failed`,
        );
        return gap;
    }

    /** On failure it shows whose cordon it is: ours has an annotation. */
    const noneIsCordoned = async () => {
        const columns = "NAME:.metadata.name,CORDONED:.spec.unschedulable,ANNOTATIONS:.metadata.annotations";
        const nodes = await fixture.kubectl("get", "nodes", "-o", `custom-columns=${columns}`);
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/, nodes);
    };

    it("names the missing minors and the bundles without the versions between, and changes nothing", async () => {
        const { code, output } = await start(["upgrade", to, "--bundle", bundle, "--preview"]);
        console.log(output.trim());
        assert.equal(code, 2, output);
        assert.match(output, /one version of each minor between is missing: 1\.35, 1\.36; bundles that were found: /);
        assert.ok(output.includes(`nfv upgrade ${to} --through ${through.join()}`), output);
    });

    it("is killed in the second upgrade; the same command ends that one and does not repeat the first", async () => {
        const { code: previewed, output: shown } = await start(chain("--preview"));
        assert.equal(previewed, 0, shown);
        assert.match(shown, new RegExp(`then Kubernetes ${second}`));
        const [, hash = ""] = /^plan ([0-9a-f]{24})$/m.exec(shown) ?? [];
        const began = Date.now();
        let killed = false;
        let isSecond = false;
        let gap = 0;
        const stopped = await start(chain("--plan", hash), (text, child) => {
            if (!isSecond && text.includes(`Kubernetes ${second} (2 of 3): begins`)) {
                isSecond = true;
                gap = met(`to ${first}`);
            }
            if (killed || !isSecond || !/m1: Node update done/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(child.pid!), 3000);
        });
        console.log(`      first run ${Math.round((Date.now() - began) / 1000)} s`);
        assert.ok(killed, stopped.output.slice(-5000));
        assert.ok(gap < 30, `${gap} s without the API`);
        assert.match(stopped.output, new RegExp(`Kubernetes ${first} \\(1 of 3\\): done, the cluster is well`));
        const half = await fixture.versions();
        assert.deepEqual([half["m1"], half["w2"]], [`v${second}`, `v${first}`]);
        const locked = await start(chain("--yes"));
        assert.match(locked.output, /RUN_ABANDONED/);
        const again = Date.now();
        const pages = ["--markdown", file("run.md"), "--html", file("run.html")];
        let isLast = false;
        const finished = await start(chain("--yes", "--take-over", ...pages), text => {
            if (isLast || !text.includes(`Kubernetes ${to} (2 of 2): begins`)) return;
            isLast = true;
            gap = met(`to ${second}`);
        });
        console.log(`      second run ${Math.round((Date.now() - again) / 1000)} s`);
        assert.equal(finished.code, 0, finished.output.slice(-5000));
        assert.ok(isLast && gap < 30, `${gap} s without the API`);
        assert.match(finished.output, new RegExp(`Kubernetes ${to} \\(2 of 2\\): done, the cluster is well`));
        assert.deepEqual(await fixture.versions(), all(to));
        assert.ok(fs.readFileSync(file("run.md"), "utf8").includes(`Kubernetes ${to} (2 of 2): done`));
        assert.ok(met(`to ${to}`) < 30);
    });

    it("has etcd, add-ons and settings of the last version; nothing is left to do, and a refresh finds no drift", async () => {
        const system = (...words: string[]) => fixture.kubectl("-n", "kube-system", ...words);
        const images = await system("get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}");
        console.log(`      ${[...new Set(images.split(" "))].join(", ")}`);
        assert.doesNotMatch(images, /:v1\.3[456]\./);
        for (const name of masters)
            assert.match(await system("exec", `etcd-${name}`, "--", "etcd", "--version"), /etcd Version: 3\.7\./);
        const flags = await fixture.lab.mustSsh("w1", "sudo cat /var/lib/kubelet/kubeadm-flags.env");
        assert.doesNotMatch(flags, /pod-infra-container-image/);
        await noneIsCordoned();
        assert.equal((await start(chain("--yes"))).code, 0, "the same command once more");
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("gets a control-plane node of the last version in the place of one that is lost", async () => {
        await fixture.lab.removeNode("m2");
        await Lab.up({ name: fixture.lab.name, nodes: ["m2"], image: "kubernetes", kubernetes: [to] });
        await fixture.give(to);
        await fixture.project.up();
        console.log(await fixture.project.up({ refresh: true }));
        assert.deepEqual(await fixture.versions(), all(to));
        await noneIsCordoned();
        assert.ok(met("m2 replaced") < 30);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
