import { strict as assert } from "node:assert";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { nodeInfo } from "./cluster-observed";
import { type Clients, endClients, openClients } from "./upgrade-clients";
import { programsOf } from "./upgrade-fixture";
import { longestGap } from "./writer";

const masters = ["m1"];
const workers = ["w1", "w2"];
const nodes = [...masters, ...workers];

describe("a cluster that goes from the distribution's containerd to the bundle's", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let clients: Clients;
    const bundles = { without: "", with: "" };

    const give = async (bundle: string, from: "distribution" | "bundle") => {
        const args = clusterArguments(fixture.lab, { masters, workers }) as any;
        args.kubernetes = { ...args.kubernetes, source: { bundle: { path: bundle } }, containerRuntime: { from } };
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const runtimes = async () => Object.values(await nodeInfo(fixture, "containerRuntimeVersion"));
    /** Containers and how often they have been started. */
    const containers = () =>
        fixture.kubectl(
            ...["get", "pods", "--all-namespaces", "--sort-by=.metadata.uid", "-o"],
            'jsonpath={range .items[*].status.containerStatuses[*]}{.containerID} {.restartCount}{"\\n"}{end}',
        );
    const on = async (node: string, command: string) =>
        (await fixture.lab.mustSsh(node, `sudo sh -c '${command}'`)).trim();
    const running = (node: string) => on(node, "readlink /proc/$(systemctl show -p MainPID --value containerd)/exe");

    before(async function () {
        this.timeout("60m");
        fixture = await openFixture({ name: "runtime", nodes });
        bundles.without = await programsOf(versions.kubernetes, fixture.folder);
        bundles.with = await programsOf(versions.kubernetes, fixture.folder, ["container-runtime"]);
        await give(bundles.without, "distribution");
        await fixture.project.up();
        clients = await openClients(fixture, workers);
    });
    after(async () => {
        endClients(clients);
        await fixture?.close();
    });

    it("says at preview which step will run on each node, and with a bundle without a runtime how to make one", async () => {
        for (const version of await runtimes()) assert.match(version, /^containerd:\/\/1\./);
        await give(bundles.without, "bundle");
        const refused = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.match(refused.output, /has no container runtime[\s\S]*--add-ons container-runtime/);
        await give(bundles.with, "bundle");
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        assert.match(output, /\+ switch to the bundle's container runtime/);
    });

    it("restarts it there one after another: no container ends, and nobody misses the API or the network function", async () => {
        const before = await containers();
        const began = Date.now();
        await fixture.project.up();
        console.log(`      ${Math.round((Date.now() - began) / 1000)} s`);
        const writes = clients.writer.since();
        const { requests, failures } = clients.client.since();
        console.log(`      ${longestGap(writes)} s without the API; ${failures.length} of ${requests} requests failed`);
        await eventually(90, async () =>
            assert.deepEqual(new Set(await runtimes()), new Set([`containerd://${versions.containerd}`])),
        );
        assert.equal(await containers(), before);
        assert.deepEqual([failures, longestGap(writes) < 15], [[], true]);
        for (const node of nodes) {
            // The lab has a runc of its own in front, in /usr/local/sbin, which calls the distribution's.
            assert.match(
                await on(node, "/usr/local/bin/runc --version"),
                new RegExp(`^runc version ${versions.runc.replaceAll(".", "\\.")}`),
            );
            assert.match(await on(node, "head -n 1 /etc/containerd/config.toml"), /^version = [34]$/);
            assert.doesNotMatch(
                await on(node, "journalctl -o cat _PID=$(systemctl show -p MainPID --value containerd)"),
                /level=warning.*(deprecat|migrat)/i,
            );
        }
    });

    it("starts new pods, changes nothing in a second run, and comes back after a power cut", async () => {
        await fixture.kubectl("rollout", "restart", "deployment/guarded");
        await fixture.kubectl("rollout", "status", "deployment/guarded", "--timeout=120s");
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        await fixture.lab.powerOff("w1");
        await fixture.lab.powerOn("w1");
        await eventually(120, async () => assert.match(await fixture.kubectl("get", "node", "w1"), / Ready /));
        assert.match(await running("w1"), /^\/usr\/local\/lib\/pulumi-nfv\/containerd\//);
    });

    it("refuses the way back at preview", async () => {
        await give(bundles.with, "distribution");
        const { output } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.match(output, /kubernetes\.containerRuntime\.from cannot be changed/);
        await give(bundles.with, "bundle");
    });

    it("leaves the distribution's containerd at its end, which runs again", async () => {
        await fixture.project.destroy();
        for (const node of nodes) {
            assert.equal(await running(node), "/usr/bin/containerd");
            assert.equal(await on(node, "ls -d /usr/local/lib/pulumi-nfv /usr/local/bin/ctr 2>/dev/null || true"), "");
        }
    });
});
