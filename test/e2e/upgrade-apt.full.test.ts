import { strict as assert } from "node:assert";
import * as path from "node:path";
import { labBundle } from "../../lab/kubernetes-image";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { diesOnce, type KubernetesRepository, packagesOn, serveRepository } from "./kubernetes-repository";
import { from, openUpgrade, to, type UpgradeFixture } from "./upgrade-fixture";

const nodes = ["m1", "w1"];

describe("a cluster by apt that moves to another Kubernetes version, and back, and again", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: UpgradeFixture;
    let repository: KubernetesRepository | undefined;

    const on = (node: string, command: string) => fixture.lab.mustSsh(node, command);
    const each = async <T>(work: (node: string) => Promise<T>) =>
        Object.fromEntries(await Promise.all(nodes.map(async node => [node, await work(node)] as const)));
    const all = <T>(value: T) => Object.fromEntries(nodes.map(node => [node, value]));
    const starts = (node: string) => on(node, "journalctl -u kubelet -o cat | grep -c '^Started kubelet' || true");
    const packages = () => each(node => packagesOn(fixture.lab, node));
    const exactly = (version: string) => ({
        versions: { kubelet: `${version}-1.1`, kubeadm: `${version}-1.1`, kubectl: `${version}-1.1` },
        held: ["kubeadm", "kubectl", "kubelet"],
    });
    const staged = () => each(node => on(node, "ls /usr/local/lib/pulumi-nfv/kubernetes 2>/dev/null || true"));
    const fails = async (pattern: RegExp) => {
        const began = Date.now();
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        console.log(`      failed after ${Math.round((Date.now() - began) / 1000)} s`);
        assert.notEqual(code, 0, output.slice(-3000));
        assert.match(output, pattern);
        return output;
    };
    const up = async () => {
        const began = Date.now();
        await fixture.project.up();
        console.log(`      ${Math.round((Date.now() - began) / 1000)} s`);
    };

    before(async () => {
        fixture = await openUpgrade("upgradeapt", ["m1"], ["w1"], [from, to], async ({ lab, folder }) => {
            const bundles = { [from]: "", [to]: "" };
            for (const version of [from, to]) bundles[version] = await labBundle(version, [], () => {});
            repository = await serveRepository(lab, bundles, path.join(folder, "repository"));
            const { source } = repository;
            return async () => ({ source: { apt: source }, args: { network: { cni: "bridge" } } });
        });
    });
    after(async () => {
        repository?.stop();
        await fixture?.close();
    });

    it("is made of the packages of its version, held there", async () => {
        assert.deepEqual(await packages(), all(exactly(from)));
        assert.deepEqual(await fixture.versions(), all(`v${from}`));
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        await on("w1", "echo '# mine' >>/etc/default/kubelet");
    });

    it("refuses at preview a version that the repository has not, and says what happens to each node, without an effect", async () => {
        await fixture.give("1.36.9");
        const refused = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(refused.code, 0);
        assert.match(
            refused.output,
            /[mw]1: INVALID_INPUT: kubernetes\.version 1\.36\.2 to 1\.36\.9: the repository has no kubelet 1\.36\.9; it has 1\.36\.2 1\.36\.3 of it/,
        );
        await fixture.give(to);
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        assert.equal(output.match(/upgrade in place: Kubernetes 1\.36\.2 to 1\.36\.3/g)?.length, 2, output);
        assert.deepEqual(await packages(), all(exactly(from)));
        assert.deepEqual(await staged(), all(""));
    });

    it("goes on after a kill in the middle of dpkg; a kubelet that does not serve is the former one again", async () => {
        await on("m1", `touch ${diesOnce}`);
        const before = await each(starts);
        await fails(/m1[\s\S]*upgrade\.kubelet|switch kubelet/);
        assert.deepEqual(await fixture.versions(), all(`v${from}`));
        assert.deepEqual(await each(starts), before, "no kubelet was restarted");
        const broken = `test ! -e /run/broken || ! /usr/bin/kubelet --version | grep -q ${to}`;
        await on(
            "w1",
            `touch /run/broken; mkdir -p /etc/systemd/system/kubelet.service.d
            printf '[Service]\\nExecStartPre=/bin/sh -c "${broken}"\\n' >/etc/systemd/system/kubelet.service.d/99-broken.conf
            systemctl daemon-reload`,
        );
        const said = await fails(/UPGRADE_FAILED[\s\S]*kubelet v1\.36\.2 is back/);
        assert.match(said, /versions now: m1 1\.36\.3, w1 1\.36\.2/);
        assert.deepEqual(await fixture.versions(), { m1: `v${to}`, w1: `v${from}` });
        assert.equal(Number((await each(starts))["m1"]), Number(before["m1"]) + 1, "restarted once, by us");
        assert.deepEqual((await packages())["m1"], exactly(to));
    });

    it("goes back within the minor, with the packages of the former version", async () => {
        await fixture.give(from);
        await up();
        assert.deepEqual(await fixture.versions(), all(`v${from}`));
        assert.deepEqual(await packages(), all(exactly(from)));
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("is no drift where a worker waits with what is staged beside it", async () => {
        await on("w1", "rm -f /run/broken");
        await fixture.give(to, { pauseAfter: "controlPlane" });
        await up();
        assert.deepEqual(await fixture.versions(), { m1: `v${to}`, w1: `v${from}` });
        assert.deepEqual((await packages())["w1"], exactly(from));
        assert.deepEqual(await staged(), { m1: "", w1: `${to}\n` });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("goes on after a run that was killed while a node has its kubelet switched", async () => {
        await fixture.give(to);
        let killed = false;
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (killed || !/switch kubelet to the Kubernetes version \(w1\)/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(run.pid), 1500);
        });
        const { output } = await run.done;
        assert.ok(killed, output.slice(-3000));
        await fixture.project.stack.cancel();
        await up();
        assert.deepEqual(await fixture.versions(), all(`v${to}`));
        assert.deepEqual(await packages(), all(exactly(to)));
    });

    it("keeps settings that somebody changed, leaves nothing of the move, and is no drift", async () => {
        assert.equal(await on("w1", "cat /etc/default/kubelet"), `# of ${from}\nKUBELET_EXTRA_ARGS=\n# mine\n`);
        assert.deepEqual(await staged(), all(""));
        for (const node of nodes)
            assert.equal((await fixture.lab.ssh(node, "test -e /var/lib/pulumi-nfv/upgrade")).code, 1);
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
