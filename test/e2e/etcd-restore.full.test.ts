import { strict as assert } from "node:assert";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { eventually, webObjects } from "./cluster-fixture";
import { BackedUpCluster, show, tenMarkers } from "./etcd-backup-cluster";

describe("a restore of etcd", function () {
    this.timeout("30m");
    asStory(this);
    let cluster: BackedUpCluster;
    const masters = ["m1", "m2", "m3"];
    const on = (node: string, command: string) => cluster.fixture.lab.mustSsh(node, command);
    const kubectl = (...args: string[]) => eventually(180, () => cluster.fixture.kubectl(...args));
    const answers = () =>
        eventually(180, async () => {
            const service = ["-n", "web", "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"];
            const address = await cluster.fixture.kubectl(...service);
            assert.match(await on("m1", `curl -s -m 5 http://${address}/`), /web on w1/);
        });
    const seconds = (from: number) => Math.round((Date.now() - from) / 1000);
    const more = { objects: JSON.stringify(webObjects) };
    const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { key: "new" } };
    /** What the program got since the snapshot. */
    const ofProgram = async () => [
        await kubectl("-n", "web", "get", "configmap", "settings", "--ignore-not-found", "-o", "jsonpath={.data.key}"),
        await kubectl("get", "node", "w1", "-o", "jsonpath={.metadata.labels.site}"),
    ];
    const isAsOfSnapshot = async () => {
        assert.deepEqual(await cluster.markers("kept"), tenMarkers("kept"));
        assert.deepEqual(await cluster.markers("lost"), []);
        await kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s");
        await answers();
    };

    before(async () => {
        cluster = await BackedUpCluster.open("herestore", { masters, workers: ["w1"] });
        await cluster.give(more);
        await cluster.fixture.project.up();
        await cluster.writeAroundSnapshot(more);
        more.objects = JSON.stringify([...webObjects, settings]);
        cluster.args.pools.workers.labels.site = "north";
        await cluster.give(more);
        await cluster.fixture.project.up();
        assert.deepEqual(await ofProgram(), ["new", "north"]);
    });
    after(() => cluster?.fixture.close());

    it("is refused with a wrong password, and where the repository is away: nothing stops", async () => {
        const { password, folder } = cluster;
        const { sftp } = cluster.args.etcdBackup.repository;
        cluster.args.etcdRestore = { run: "first" };
        for (const [change, pattern] of [
            [() => (cluster.password = "another"), /wrong password or no key found/],
            [() => (sftp.folder = "/srv/other"), /its repository cannot be read/],
        ] as const) {
            change();
            await cluster.give(more);
            const { code, output } = await cluster.up();
            assert.notEqual(code, 0, output);
            assert.match(output, pattern);
            assert.match(output, /RESTORE_FAILED[\s\S]*nothing was changed/);
            cluster.password = password;
            sftp.folder = folder;
        }
        const left = "ls -d /var/lib/etcd/before-restore-* /var/lib/etcd/pulumi-nfv-restore 2>/dev/null | wc -l";
        for (const name of masters) assert.equal((await on(name, left)).trim(), "0");
        assert.deepEqual(await cluster.markers("lost"), tenMarkers("lost"));
    });

    it("is shown by the preview, node by node, and goes on after it was killed in the middle", async () => {
        await cluster.give(more);
        const preview = await cluster.fixture.project.preview("--diff");
        assert.match(preview, /What was made or changed in the cluster since is lost/);
        for (const name of masters) assert.match(preview, new RegExp(`${name} *: "etcd and the API server stop`));
        const began = Date.now();
        const run = cluster.fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        const aside = "/etc/kubernetes/pulumi-nfv/restore-aside/manifests/etcd.yaml";
        await Promise.race([on("m2", `timeout 300 sh -c 'until [ -e ${aside} ]; do sleep 0.05; done'`), run.done]);
        killTree(run.pid);
        await run.done;
        console.log(`      killed after ${seconds(began)} s`);
        await cluster.fixture.project.run(["cancel", "--yes"]);
        const { code, output } = await cluster.up();
        assert.equal(code, 0, output);
        show(output, /restore|lost/i);
        await isAsOfSnapshot();
        console.log(`      as of the snapshot after ${seconds(began)} s`);
    });

    it("is not done again by the same word, and `up --refresh` brings back what is missing, then changes nothing", async () => {
        await cluster.write("later");
        assert.deepEqual(await ofProgram(), ["", ""]);
        const { code, output } = await cluster.up("--refresh");
        assert.equal(code, 0, output);
        show(output, /updat|creat|still to do|warning/);
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await cluster.markers("later"), ["later"]);
        assert.deepEqual(await ofProgram(), ["new", "north"]);
        await isAsOfSnapshot();
    });

    it("of the same snapshot once more, with another word: watchers notice, and the cluster works", async () => {
        for (const name of tenMarkers("lost")) await cluster.write(name);
        const [, second] = await cluster.snapshots();
        cluster.args.etcdRestore = { run: "second", snapshot: second!.short_id };
        await cluster.give(more);
        await cluster.fixture.project.up();
        await isAsOfSnapshot();
        // Controllers, scheduler and kubelet all have to see what is new.
        await kubectl("-n", "web", "delete", "pod", "-l", "app=web", "--wait=true");
        await kubectl("-n", "web", "wait", "--for=condition=Available", "deployment/web", "--timeout=120s");
        await answers();
        await cluster.fixture.project.up({ refresh: true });
        assert.deepEqual(await ofProgram(), ["new", "north"]);
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
