import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { eventually } from "./cluster-fixture";
import { BackedUpCluster, tag } from "./etcd-backup-cluster";

describe("snapshots of etcd", function () {
    this.timeout("30m");
    asStory(this);
    let cluster: BackedUpCluster;
    const masters = ["m1", "m2", "m3"];
    const unit = "pulumi-nfv-etcd-snapshot";
    const on = (node: string, command: string) => cluster.fixture.lab.mustSsh(node, command);
    const leader = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const ask = `curl -s -m 5 --cacert ${pki}/ca.crt --cert ${pki}/server.crt --key ${pki}/server.key -d '{}' https://127.0.0.1:2379/v3/maintenance/status`;
        for (const name of masters) {
            const { leader: found, header } = JSON.parse(await on(name, ask));
            if (found === header.member_id) return name;
        }
        return assert.fail("etcd has no leader");
    };
    const last = async () => JSON.parse(await cluster.fixture.project.output("etcdSnapshot")) as Record<string, string>;

    before(async () => {
        cluster = await BackedUpCluster.open("hebackup", { masters, workers: ["w1"] });
    });
    after(() => cluster?.fixture.close());

    it("are an error of this run where the repository cannot be reached; the cluster is whole all the same", async () => {
        const { sftp } = cluster.args.etcdBackup.repository;
        const { hostKey } = sftp;
        sftp.hostKey = cluster.fixture.lab.node("m1").hostKey;
        await cluster.give();
        const { code, output } = await cluster.up();
        assert.notEqual(code, 0);
        assert.match(output, /BACKUP_FAILED[\s\S]*its repository cannot be opened/);
        assert.doesNotMatch(output, /battery|PRIVATE KEY/);
        // The stack has no outputs yet.
        const kubectl = "kubectl --kubeconfig /etc/kubernetes/admin.conf";
        await on("m1", `${kubectl} wait --for=condition=Ready nodes --all --timeout=10s`);
        sftp.hostKey = hostKey;
    });

    it("the first `up` makes the repository and one snapshot, on the first control-plane node", async () => {
        await cluster.give();
        const { code, output } = await cluster.up();
        assert.equal(code, 0, output);
        const [made, ...others] = await cluster.snapshots();
        assert.deepEqual(others, []);
        assert.equal(tag(made!, "of"), "m1");
        assert.equal(tag(made!, "program"), "v1");
        assert.match(tag(made!, "identity") ?? "", /^[0-9a-f]{16}$/);
        assert.ok(Number(tag(made!, "revision")) > 0);
        assert.equal((await last())["id"], made!.short_id);
        assert.equal((await last())["node"], "m1");
        await cluster.fixture.project.up({ expectNoChanges: true });
    });

    it("leave the password in no log and in no note of the node", async () => {
        const said = await on(
            "m1",
            "grep -rl battery /var/lib/pulumi-nfv /etc/systemd /usr/local/lib/pulumi-nfv || true; journalctl | grep -c battery || true",
        );
        assert.equal(said.trim(), "0");
    });

    it("one more is made for another word, on one node only, and the timers run on all", async () => {
        cluster.args.etcdBackup.run = "by-hand";
        cluster.args.etcdBackup.schedule = "*-*-* 02:30";
        await cluster.give();
        const preview = await cluster.fixture.project.preview("--diff");
        console.log(
            preview
                .split("\n")
                .filter(line => /etcd|EtcdBackup/.test(line))
                .join("\n"),
        );
        await cluster.fixture.project.up();
        const all = await cluster.snapshots();
        assert.equal(all.length, 2);
        assert.equal(tag(all[1]!, "asked"), "by-hand");
        await cluster.fixture.project.up({ expectNoChanges: true });
        for (const name of masters) assert.match(await on(name, `systemctl list-timers ${unit}.timer`), /02:30:00/);
    });

    it("of those that timers start at the same moment, the node with the leader makes one, and no other does", async () => {
        await Promise.all(
            masters.map(name =>
                on(
                    name,
                    `sed -i s/^TURN_SECONDS=.*/TURN_SECONDS=20/ /usr/local/lib/pulumi-nfv/etcd-snapshot; systemctl start --no-block ${unit}.service`,
                ),
            ),
        );
        await eventually(180, async () => {
            for (const name of masters)
                assert.equal((await on(name, `systemctl is-active ${unit}.service || true`)).trim(), "inactive");
        });
        const all = await cluster.snapshots();
        assert.equal(all.length, 3);
        assert.equal(tag(all[2]!, "of"), await leader());
        assert.equal(new Set(all.map(each => tag(each, "identity"))).size, 1, "the keys are the same on all nodes");
        for (const name of masters)
            assert.equal(
                (await on(name, "ls /var/lib/pulumi-nfv/etcd-snapshots | grep -c failed || true")).trim(),
                "0",
            );
    });

    it("where the leader's node cannot make one, the next node does; the failure is found by a refresh, and mended by `up`", async () => {
        const broken = await leader();
        await on(broken, `mv /usr/bin/restic /usr/bin/restic-away`);
        await Promise.all(masters.map(name => on(name, `systemctl start --no-block ${unit}.service`)));
        await eventually(240, async () => {
            for (const name of masters)
                assert.match((await on(name, `systemctl is-active ${unit}.service || true`)).trim(), /inactive|failed/);
        });
        const [by] = masters.filter(name => name !== broken);
        const all = await cluster.snapshots(by);
        assert.equal(all.length, 4);
        assert.notEqual(tag(all[3]!, "of"), broken);
        await on(broken, `mv /usr/bin/restic-away /usr/bin/restic`);
        const { output } = await cluster.up("--refresh");
        console.log(
            output
                .split("\n")
                .filter(line => /snapshot/.test(line))
                .join("\n"),
        );
        assert.equal((await cluster.snapshots()).length, 5);
        assert.equal((await last())["node"], broken);
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("a wrong password is refused, and changes nothing in the repository", async () => {
        const { password } = cluster;
        cluster.password = "another";
        await cluster.give();
        const { code, output } = await cluster.up();
        assert.notEqual(code, 0);
        assert.match(output, /BACKUP_FAILED[\s\S]*its repository cannot be opened: wrong password or no key found/);
        cluster.password = password;
        await cluster.give();
        await cluster.fixture.project.up();
        assert.equal((await cluster.snapshots()).length, 5);
    });

    it("without the input, timers and settings go, and the snapshots stay", async () => {
        const { etcdBackup, ...others } = cluster.args;
        const sftp = { count: await on("store", `ls ${cluster.folder}/snapshots | wc -l`) };
        cluster.args = others;
        await cluster.give();
        await cluster.fixture.project.up();
        for (const name of masters) {
            assert.equal(
                (
                    await on(
                        name,
                        `ls /etc/systemd/system | grep -c etcd-snapshot || true; ls /etc/pulumi-nfv/backups /var/lib/pulumi-nfv/etcd-snapshots 2>/dev/null | wc -l`,
                    )
                ).trim(),
                "0\n0",
            );
        }
        assert.equal(await on("store", `ls ${cluster.folder}/snapshots | wc -l`), sftp.count);
        cluster.args = { ...others, etcdBackup };
    });
});
