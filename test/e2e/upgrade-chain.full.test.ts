import { strict as assert } from "node:assert";
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { minors, openUpgrade, programsOf, type UpgradeFixture } from "./upgrade-fixture";

const [from, middle, to] = minors;
const nodes = ["m1", "w1"];

/** `nfv upgrade` over two genuine minors. Its smaller counterpart: test/unit/pipeline/chain.test.ts. */
describe("a cluster that goes over two minor versions by one command", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: UpgradeFixture;
    let bundle: string;

    before(async function () {
        this.timeout("180m");
        fixture = await openUpgrade("upgradechain", ["m1"], ["w1"], minors);
        for (const version of [middle, to]) await programsOf(version, fixture.folder);
        bundle = path.join(fixture.folder, "bundle-{version}");
        assert.deepEqual(await fixture.versions(), { m1: `v${from}`, w1: `v${from}` });
    });
    after(async () => {
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
    const chain = (...more: string[]) => ["upgrade", to, "--through", middle, "--bundle", bundle, ...more];
    const file = (name: string) => path.join(fixture.folder, name);

    it("names the missing minor and the bundles without the version between, and changes nothing", async () => {
        const { code, output } = await start(["upgrade", to, "--bundle", bundle, "--preview"]);
        console.log(output.trim());
        assert.equal(code, 2, output);
        assert.match(
            output,
            /one version of each minor between is missing: 1\.34; bundles that were found: 1\.33\.13 .*1\.34\.4 .*1\.35\.4/,
        );
        assert.match(output, /nfv upgrade 1\.35\.4 --through 1\.34\.4/);
    });

    it("is killed in the second upgrade; the same command ends that one and does not repeat the first", async () => {
        const { code: previewed, output: shown } = await start(chain("--preview"));
        assert.equal(previewed, 0, shown);
        assert.match(shown, new RegExp(`then Kubernetes ${to}`));
        const [, hash = ""] = /^plan ([0-9a-f]{24})$/m.exec(shown) ?? [];
        const began = Date.now();
        let killed = false;
        let isSecond = false;
        const first = await start(chain("--plan", hash), (text, child) => {
            isSecond ||= text.includes(`Kubernetes ${to} (2 of 2): begins`);
            if (killed || !isSecond || !/m1: Node update done/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(child.pid!), 3000);
        });
        console.log(`      first run ${Math.round((Date.now() - began) / 1000)} s`);
        assert.ok(killed, first.output.slice(-5000));
        assert.match(first.output, new RegExp(`Kubernetes ${middle} \\(1 of 2\\): done, the cluster is well`));
        assert.deepEqual(await fixture.versions(), { m1: `v${to}`, w1: `v${middle}` });
        const locked = await start(chain("--yes"));
        assert.match(locked.output, /RUN_ABANDONED/);
        const again = Date.now();
        const second = await start(
            chain("--yes", "--take-over", "--markdown", file("run.md"), "--html", file("run.html")),
        );
        console.log(`      second run ${Math.round((Date.now() - again) / 1000)} s`);
        assert.equal(second.code, 0, second.output.slice(-5000));
        assert.match(second.output, new RegExp(`Kubernetes ${to} \\(1 of 1\\): done, the cluster is well`));
        assert.deepEqual(await fixture.versions(), Object.fromEntries(nodes.map(name => [name, `v${to}`])));
        assert.match(fs.readFileSync(file("run.md"), "utf8"), /Kubernetes 1\.35\.4 \(1 of 1\): done/);
    });

    it("has etcd, add-ons and settings of the last version; nothing is left to do, and a refresh finds no drift", async () => {
        const images = await fixture.kubectl(
            "-n",
            "kube-system",
            "get",
            "pods",
            "-o",
            "jsonpath={.items[*].spec.containers[*].image}",
        );
        console.log(`      ${[...new Set(images.split(" "))].join(", ")}`);
        assert.doesNotMatch(images, /:v1\.3[45]\./);
        const etcd = await fixture.kubectl("-n", "kube-system", "exec", "etcd-m1", "--", "etcd", "--version");
        assert.match(etcd, /etcd Version: 3\.6\./);
        const flags = await fixture.lab.mustSsh("w1", "sudo cat /var/lib/kubelet/kubeadm-flags.env");
        assert.doesNotMatch(flags, /pod-infra-container-image/);
        assert.equal((await start(chain("--yes"))).code, 0, "the same command once more");
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
