import { strict as assert } from "node:assert";
import * as path from "node:path";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { canaries, clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { bootsOf, countBoots, givePackages, versionOf } from "./package-repository";
import { type RequestClient, startRequests } from "./request-client";
import { serveGuarded } from "./upgrade-clients";
import { longestGap, startWriter, type Writer } from "./writer";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];
const nodes = [...masters, ...workers];

/** Ten requests a second, in turn to each address; one that does not answer within a second is followed by one to the next address, as a load balancer does. */
const balanced = `
    const http = require("node:http");
    const urls = process.argv.slice(1);
    const ask = url => new Promise(resolve => {
        const request = http.get(url, { agent: false, timeout: 1000 }, answer => answer.resume().on("end", () => resolve("")));
        request.on("timeout", () => request.destroy(new Error("no answer in time")));
        request.on("error", error => resolve(error.message));
    });
    (async () => {
        for (let i = 0; ; i++) {
            const tried = urls.map((_, n) => urls[(i + n) % urls.length]);
            let failure = "none";
            for (const url of tried) if (failure) failure = await ask(url);
            console.log(JSON.stringify({ target: new Date().toISOString(), failure }));
            await new Promise(resolve => setTimeout(resolve, 100));
        }
    })();`;

describe("a cluster whose operating system is upgraded while it is in use", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let writer: Writer;
    let client: RequestClient;

    const give = async (os?: object, restart?: object) => {
        const requests = { ...(os && { os }), ...(restart && { restart }) };
        const args = { ...clusterArguments(fixture.lab, { masters, workers }), ...requests };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const each = <T>(work: (node: string) => Promise<T>) => Promise.all(nodes.map(work));
    const bootCount = async (node: string) => (await bootsOf(fixture.lab, node)).length;
    /** Kills the run a moment after it has said this. */
    const killedAt = async (words: RegExp, milliseconds: number) => {
        let killed = false;
        const began = Date.now();
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (killed || !words.test(text)) return;
            killed = true;
            setTimeout(() => killTree(run.pid), milliseconds);
        });
        const { output } = await run.done;
        console.log(`      killed after ${Math.round((Date.now() - began) / 1000)} s`);
        assert.ok(killed, output.slice(-3000));
        await fixture.project.stack.cancel();
    };

    before(async () => {
        fixture = await openFixture({ name: "osup", nodes });
        await give();
        await fixture.project.up();
        await each(node => givePackages(fixture.lab, node));
        await each(node => countBoots(fixture.lab, node));
        await fixture.lab.mustSsh("w1", "echo 'setting = mine' >/etc/nfv-harmless.conf");
        await serveGuarded(fixture);
        writer = startWriter(fixture.lab, path.join(fixture.folder, "kubeconfig"), { eachOwn: true });
        const urls = workers.map(name => `http://${fixture.lab.node(name).address}:30080/`);
        client = startRequests(fixture.lab, [process.execPath, "-e", balanced, ...urls]);
        await eventually(30, async () => assert.ok(writer.since().some(({ by }) => by !== undefined)));
        // kube-proxy takes some seconds for a new port.
        await eventually(60, async () => {
            await new Promise(resolve => setTimeout(resolve, 1000));
            const { requests, failures } = client.since();
            assert.ok(requests > 0 && failures.length === 0);
        });
        writer.since();
        await give({ upgrade: "2026-11" });
    });
    after(async () => {
        writer?.stop();
        client?.stop();
        await fixture?.close();
    });

    it("says in preview what is due on each node, in their order, and changes nothing", async () => {
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        const said = output.split("\n").filter(line => /operation:|^ *\d\. /.test(line));
        console.log(said.join("\n"));
        assert.match(output, /modify information: os\.upgrade/);
        assert.match(
            output,
            /1\. m1: 3 packages \(1 security\), reboots if a package asks for it; drained within 300 s/,
        );
        assert.match(output, /5\. w2: 3 packages \(1 security\)/);
        assert.deepEqual(
            await each(node => versionOf(fixture.lab, node, "nfv-kernel")),
            nodes.map(() => "1.0"),
        );
    });

    it("goes on after a kill while a control-plane node reboots, and after one in the middle of dpkg", async () => {
        await killedAt(/wait until m1 has rebooted/, 300);
        assert.equal(await versionOf(fixture.lab, "m2", "nfv-kernel"), "1.0");
        await killedAt(/upgrade the packages of the operating system \(m3\)/, 1500);
        assert.equal(await versionOf(fixture.lab, "w1", "nfv-kernel"), "1.0");
        const began = Date.now();
        await fixture.project.up();
        console.log(`      third run ${Math.round((Date.now() - began) / 1000)} s`);
        assert.deepEqual(
            await each(node => versionOf(fixture.lab, node, "nfv-kernel")),
            nodes.map(() => "2.0"),
        );
        assert.deepEqual(
            await each(bootCount),
            nodes.map(() => 1),
        );
        for (const node of masters) assert.match(await versionOf(fixture.lab, node, "haproxy"), /\+nfv1$/);
    });

    it("had its API and its network function nearly all the time", async () => {
        const writes = writer.since();
        const failed = writes.filter(({ by }) => by === undefined);
        const { requests, failures } = client.since();
        console.log(
            `      ${writes.length} writes, ${failed.length} failed, longest time without ${longestGap(writes)} s; ${requests} requests, ${failures.length} failed`,
        );
        const boots = await each(node => bootsOf(fixture.lab, node));
        const times = [
            ...failed.map(({ at, problems }) => ({ at, what: problems.join("; ") })),
            ...boots.flatMap((all, i) => all.map(at => ({ at: at * 1000, what: `${nodes[i]} boots` }))),
        ].sort((a, b) => a.at - b.at);
        for (const { at, what } of times) console.log(`      ${new Date(at).toISOString().slice(11, 21)} ${what}`);
        assert.ok(longestGap(writes) < 30, `${longestGap(writes)} s without the API`);
        assert.ok(failures.length <= requests / 100, failures.join("\n"));
    });

    it("keeps settings that somebody changed, leaves no node cordoned and no hold, and does nothing twice", async () => {
        assert.equal(await fixture.lab.mustSsh("w1", "cat /etc/nfv-harmless.conf"), "setting = mine\n");
        assert.equal(await fixture.lab.mustSsh("w2", "cat /etc/nfv-harmless.conf"), "setting = 2.0\n");
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        for (const node of nodes) assert.equal(await fixture.lab.mustSsh(node, "apt-mark showhold"), "");
        await fixture.project.up({ expectNoChanges: true });
        assert.deepEqual(
            await each(bootCount),
            nodes.map(() => 1),
        );
    });

    it("with another word reboots nothing where nothing is due", async () => {
        await give({ upgrade: "2026-12" });
        await fixture.project.up();
        assert.deepEqual(
            await each(bootCount),
            nodes.map(() => 1),
        );
        await fixture.project.up({ expectNoChanges: true });
    });

    it("restarts containerd on one node after another, goes on after a kill, and no container ends", async () => {
        const runtime = (node: string) =>
            fixture.lab.mustSsh(node, "systemctl show -p MainPID --value containerd.service");
        const tasks = async (node: string) =>
            (await fixture.lab.mustSsh(node, "ctr -n k8s.io task ls -q")).trim().split("\n").sort();
        const before = await each(async node => ({ runtime: await runtime(node), tasks: await tasks(node) }));
        await give({ upgrade: "2026-12" }, { containerRuntime: "one" });
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        console.log(
            output
                .split("\n")
                .filter(line => /operation:|^ *\d\. /.test(line))
                .join("\n"),
        );
        assert.match(output, /5\. w2: containerd \S+ restarts; it has run since 20/);
        writer.since();
        client.since();
        await killedAt(/restart the container runtime \(m2\)/, 300);
        await fixture.project.up();
        const after = await each(async node => ({ runtime: await runtime(node), tasks: await tasks(node) }));
        for (const [i, node] of nodes.entries()) {
            assert.notEqual(after[i]!.runtime, before[i]!.runtime, node);
            const ended = before[i]!.tasks.filter(id => !after[i]!.tasks.includes(id));
            assert.deepEqual(ended, [], `containers of ${node}`);
        }
        const writes = writer.since();
        const failed = writes.filter(({ by }) => by === undefined);
        const { requests, failures } = client.since();
        console.log(
            `      ${writes.length} writes, ${failed.length} failed, longest time without ${longestGap(writes)} s; ${requests} requests, ${failures.length} failed`,
        );
        assert.ok(longestGap(writes) < 10, `${longestGap(writes)} s without the API`);
        assert.deepEqual(failures, []);
        await fixture.project.up({ expectNoChanges: true });
    });
});
