import { strict as assert } from "node:assert";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { eventually, machineOf, webObjects } from "./cluster-fixture";
import { BackedUpCluster, show, tenMarkers } from "./etcd-backup-cluster";

describe("a restore of etcd onto new machines", function () {
    this.timeout("40m");
    asStory(this);
    let cluster: BackedUpCluster;
    const masters = ["m1", "m2", "m3"];
    /** Empty machines in place of the lost ones. */
    const spare = { m1: "n1", m2: "n2", m3: "n3" };
    let givenUp = "";
    const on = (node: string, command: string) => cluster.fixture.lab.mustSsh(node, command);
    const kubectl = (...args: string[]) => eventually(240, () => cluster.fixture.kubectl(...args));
    const more = { objects: JSON.stringify(webObjects) };
    const podOf = () => kubectl("-n", "web", "get", "pods", "-o", "jsonpath={.items[*].metadata.uid}");
    const seconds = (from: number) => Math.round((Date.now() - from) / 1000);
    const refused = async (pattern: RegExp) => {
        await cluster.give(more);
        const { code, output } = await cluster.up();
        assert.notEqual(code, 0, output);
        assert.match(output, pattern);
        assert.doesNotMatch(output, /battery|another password/);
        show(output, /RESTORE_FAILED|nothing was changed|NFV_GIVE_UP/);
        return output;
    };
    /** What a restore would have left there. */
    const left = (node: string) =>
        on(
            node,
            "ls -d /var/lib/etcd/member /var/lib/etcd/pulumi-nfv-seed /var/lib/pulumi-nfv/etcd-seed 2>/dev/null | wc -l",
        );
    let pod: string;

    before(async () => {
        cluster = await BackedUpCluster.open("etcdnew", { masters, workers: ["w1"], others: Object.values(spare) });
        await cluster.give(more);
        // A busy machine may let a step of this one fail, which is no matter of a restore.
        await cluster.up();
        await cluster.fixture.project.up();
        await cluster.writeAroundSnapshot(more);
        pod = await podOf();
        for (const [name, machine] of Object.entries(spare))
            cluster.args.infrastructure.hosts.controlPlane[name] = machineOf(cluster.fixture.lab, machine);
    });
    after(() => cluster?.fixture.close());

    it("is refused while the former masters live, and nothing happens to them", async () => {
        await refused(/masters cannot all be other machines/);
        cluster.args.etcdRestore = { run: "first", onto: "newMachines" };
        await refused(
            /RESTORE_FAILED[\s\S]*the former m1 \(\S+\), m2 \(\S+\), m3 \(\S+\) answer and have the cluster's data/,
        );
        assert.deepEqual(await cluster.markers("lost"), tenMarkers("lost"));
        await kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=10s");
    });

    it("is refused while they are silent and are not given up by name", async () => {
        await Promise.all(masters.map(name => cluster.fixture.lab.powerOff(name)));
        const output = await refused(/RESTORE_FAILED[\s\S]*the former m1 \(\S+\) does not answer/);
        const [, names = ""] = /NFV_GIVE_UP=(\S+) pulumi up/.exec(output) ?? [];
        assert.match(names, /^[^/]+\/m1,[^/]+\/m2,[^/]+\/m3$/);
        givenUp = names;
        for (const name of Object.values(spare)) assert.equal((await left(name)).trim(), "0");
    });

    it("says what is wrong with another password and with a cut archive, and begins no cluster", async () => {
        cluster.fixture.project.env["NFV_GIVE_UP"] = givenUp;
        const { password, folder } = cluster;
        const { sftp } = cluster.args.etcdBackup.repository;
        cluster.password = "another password";
        await refused(/RESTORE_FAILED[\s\S]*wrong password or no key found[\s\S]*nothing was changed/);
        cluster.password = password;
        await on(
            "store",
            `cp -a ${folder} /srv/cut; for f in $(find /srv/cut/data -type f); do truncate -s $(($(stat -c %s $f) / 2)) $f; done`,
        );
        sftp.folder = "/srv/cut";
        await refused(/RESTORE_FAILED[\s\S]*restic failed[\s\S]*nothing was changed/);
        sftp.folder = folder;
        for (const name of Object.values(spare)) assert.equal((await left(name)).trim(), "0");
    });

    it("is shown by the preview, node by node, and goes on after it was killed while the cluster began", async () => {
        await cluster.give(more);
        const preview = await cluster.fixture.project.preview("--diff");
        assert.match(preview, /no former control-plane node may ever start again with its data/);
        assert.match(preview, /m1 *: "the snapshot latest is fetched; the cluster begins here/);
        assert.match(preview, /m2 *: "joins the cluster that begins with the snapshot/);
        const began = Date.now();
        const run = cluster.fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        const placed = "/var/lib/pulumi-nfv/etcd-seed/placed";
        await Promise.race([on("n1", `timeout 400 sh -c 'until [ -e ${placed} ]; do sleep 0.05; done'`), run.done]);
        killTree(run.pid);
        await run.done;
        console.log(`      killed after ${seconds(began)} s`);
        await cluster.fixture.project.run(["cancel", "--yes"]);
        const { code, output } = await cluster.up();
        assert.equal(code, 0, output);
        console.log(`      ended after ${seconds(began)} s`);
        show(output, /restore|snapshot|lost|warning/i);
    });

    it("has the last acknowledged write of the snapshot, 10 of 10, its nodes, and the worker's pod, which never ended", async () => {
        assert.deepEqual(await cluster.markers("kept"), tenMarkers("kept"));
        assert.deepEqual(await cluster.markers("lost"), []);
        await kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
        const names = (await kubectl("get", "nodes", "-o", "jsonpath={.items[*].metadata.name}")).split(" ").sort();
        assert.deepEqual(names, [...masters, "w1"]);
        assert.equal(await podOf(), pod);
        await eventually(180, async () => {
            const service = ["-n", "web", "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"];
            const address = await cluster.fixture.kubectl(...service);
            assert.match(await on("n2", `curl -s -m 5 http://${address}/`), /web on w1/);
        });
        const pki = "/etc/kubernetes/pki/etcd";
        const said = await on(
            "n3",
            `curl -s --http1.1 -m 5 --cacert ${pki}/ca.crt --cert ${pki}/server.crt --key ${pki}/server.key https://127.0.0.1:2379/v3/cluster/member/list -d '{}'`,
        );
        const members = (JSON.parse(said).members as { name: string }[]).map(({ name }) => name);
        assert.deepEqual(members.sort(), masters);
    });

    it("leaves nothing to do after a refresh, and the same word restores nothing again", async () => {
        delete cluster.fixture.project.env["NFV_GIVE_UP"];
        const { code, output } = await cluster.up("--refresh");
        assert.equal(code, 0, output);
        show(output, /updat|creat|still to do|warning/);
        await cluster.write("later");
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await cluster.markers("later"), ["later"]);
        for (const name of Object.values(spare))
            assert.equal((await on(name, "ls -d /var/lib/pulumi-nfv/etcd-seed 2>/dev/null | wc -l")).trim(), "0");
    });

    it("lets pods be scheduled on all that came back, and a new snapshot be made", async () => {
        await kubectl("-n", "web", "delete", "pod", "-l", "app=web", "--wait=true");
        await kubectl("-n", "web", "wait", "--for=condition=Available", "deployment/web", "--timeout=120s");
        delete cluster.args.etcdRestore;
        cluster.args.etcdBackup.run = "two";
        await cluster.give(more);
        await cluster.fixture.project.up();
        assert.match(await cluster.fixture.project.output("etcdSnapshot"), /"node": ?"m1"/);
        await cluster.fixture.project.up({ expectNoChanges: true });
    });
});
