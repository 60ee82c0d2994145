import { strict as assert } from "node:assert";
import { Lab } from "../../lab";
import type { SystemName } from "../../lab/images";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { eventually, machineOf } from "./cluster-fixture";
import { holderOf, nodeInfo } from "./cluster-observed";
import { BackedUpCluster, tenMarkers } from "./etcd-backup-cluster";
import { type Clients, endClients, openClients } from "./upgrade-clients";
import { type minors, programsOf } from "./upgrade-fixture";
import { longestGap } from "./writer";

const masters = ["m1", "m2", "m3"];

interface Kind {
    /** @default the machine's own */
    system?: SystemName;
    containerRuntime?: { from: "bundle" };
}

/** The minors that upstream supports besides the pinned one, each a genuine build, the newest on what is newest. */
const kinds: Partial<Record<(typeof minors)[number], Kind>> = {
    "1.35.4": {},
    "1.37.2": { system: "debian-13", containerRuntime: { from: "bundle" } },
};

/** What a user does in a cluster's first week. */
for (const [version, { system, containerRuntime }] of Object.entries(kinds))
    describe(`a cluster of Kubernetes ${version} on ${system ?? "debian-12"}`, function () {
        this.timeout("30m");
        asStory(this);
        let cluster: BackedUpCluster;
        let clients: Clients;

        const project = () => cluster.fixture.project;
        const kubectl = (...args: string[]) => eventually(180, () => cluster.fixture.kubectl(...args));
        /** Name of each node → its version; they are all Ready. */
        const nodes = async (): Promise<Record<string, string>> => {
            await kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
            return nodeInfo({ kubectl }, "kubeletVersion");
        };
        const all = (...names: string[]) =>
            Object.fromEntries([...masters, ...names].map(name => [name, `v${version}`]));
        const timed = async (what: string, run: () => Promise<unknown>) => {
            const began = Date.now();
            await run();
            const gap = clients === undefined ? "" : `; ${longestGap(clients.writer.since())} s without the API`;
            console.log(`      ${what}: ${Math.round((Date.now() - began) / 1000)} s${gap}`);
        };
        const machines = (...names: string[]) =>
            Lab.up({
                name: cluster.fixture.lab.name,
                nodes: names,
                image: "kubernetes",
                kubernetes: [version],
                system,
            });

        before(async function () {
            this.timeout("90m");
            cluster = await BackedUpCluster.open("otherminors", {
                masters,
                workers: ["w1"],
                others: ["w2"],
                kubernetes: [version],
                system,
            });
            const bundle = await programsOf(version, cluster.fixture.folder, containerRuntime && ["container-runtime"]);
            cluster.args.kubernetes = { version, source: { bundle: { path: bundle } }, containerRuntime };
        });
        after(async () => {
            endClients(clients);
            await cluster?.fixture.close();
        });

        it("is made of three control-plane nodes and a worker, without a warning of ours, and a second run finds nothing to do", async () => {
            await cluster.give();
            await timed("made", () => project().up());
            assert.deepEqual(await nodes(), all("w1"));
            await project().up({ refresh: true, expectNoChanges: true });
            const runtimes = Object.values(await nodeInfo({ kubectl }, "containerRuntimeVersion"));
            console.log(`      ${runtimes.join(" ")}`);
            if (containerRuntime)
                for (const each of runtimes) assert.equal(each, `containerd://${versions.containerd}`);
            const { lab } = cluster.fixture;
            for (const name of masters) {
                const runc = await lab.mustSsh(name, "runc --version | head -n 1");
                if (containerRuntime) assert.equal(runc.trim(), `runc version ${versions.runc}`);
                const said = await lab.mustSsh(
                    name,
                    "journalctl -o cat -u kubelet -u containerd | grep -iE 'deprecated' | sort | uniq -c | head -20 || true",
                );
                console.log(said.trimEnd());
                assert.doesNotMatch(said, /flag .* has been deprecated/i);
            }
        });

        it("gets a worker, and stays in service while the holder of its virtual address is off", async () => {
            Object.assign(cluster.args.infrastructure.hosts.pools.workers, {
                w2: machineOf(cluster.fixture.lab, "w2"),
            });
            await cluster.give();
            await timed("grown", () => project().up());
            assert.deepEqual(await nodes(), all("w1", "w2"));
            clients = await openClients(cluster.fixture, ["w1", "w2"]);
            const holder = await holderOf(cluster.fixture);
            await timed(`${holder} off`, async () => {
                await cluster.fixture.lab.powerOff(holder);
                await eventually(60, async () => assert.notEqual(await holderOf(cluster.fixture), holder));
                await kubectl("get", "nodes");
            });
            await cluster.fixture.lab.powerOn(holder);
            assert.deepEqual(await nodes(), all("w1", "w2"));
        });

        it("gets a control-plane node back whose machine was installed anew", async () => {
            await cluster.fixture.lab.removeNode("m2");
            await machines("m2");
            cluster.args.infrastructure.hosts.controlPlane.m2 = machineOf(cluster.fixture.lab, "m2");
            await cluster.give();
            await timed("healed", () => project().up({ refresh: true }));
            assert.deepEqual(await nodes(), all("w1", "w2"));
        });

        it("is saved, and restored to that moment", async () => {
            await timed("saved", () => cluster.writeAroundSnapshot({}));
            cluster.args.etcdRestore = { run: "first" };
            await cluster.give();
            await timed("restored", () => project().up());
            assert.deepEqual([await cluster.markers("kept"), await cluster.markers("lost")], [tenMarkers("kept"), []]);
            await project().up({ refresh: true });
            assert.deepEqual(await nodes(), all("w1", "w2"));
            await project().up({ refresh: true, expectNoChanges: true });
        });

        it("is gone after `pulumi destroy`", async () => {
            endClients(clients);
            await timed("destroyed", () => project().destroy());
            for (const name of [...masters, "w1", "w2"])
                assert.equal(
                    (await cluster.fixture.lab.ssh(name, "pgrep -x 'kubelet|etcd|kube-apiserver'")).code,
                    1,
                    name,
                );
        });
    });
