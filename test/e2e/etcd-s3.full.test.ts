import { strict as assert } from "node:assert";
import { serveS3 } from "../support/s3-on-node";
import { asStory } from "../support/story";
import { BackedUpCluster, tenMarkers } from "./etcd-backup-cluster";

/** The real restic, an S3 server of another machine behind the real HAProxy, and a folder of the control-plane node. */
describe("snapshots of etcd in S3 and in a folder", function () {
    this.timeout("20m");
    asStory(this);
    let cluster: BackedUpCluster;
    let s3: Record<string, string>;
    const on = (command: string) => cluster.fixture.lab.mustSsh("m1", command);
    const last = async () => JSON.parse(await cluster.fixture.project.output("etcdSnapshot")) as Record<string, string>;
    const fails = async (pattern: RegExp) => {
        await cluster.give();
        const { code, output } = await cluster.up();
        assert.notEqual(code, 0, output);
        assert.match(output, pattern);
        assert.doesNotMatch(output, /battery|a-secret-'key'/);
    };
    const comesBack = async (run: string) => {
        for (const name of tenMarkers("lost")) await cluster.write(name);
        cluster.args.etcdRestore = { run };
        await cluster.give();
        await cluster.fixture.project.up();
        assert.deepEqual(await cluster.markers("kept"), tenMarkers("kept"));
        assert.deepEqual(await cluster.markers("lost"), []);
        await cluster.fixture.project.up({ refresh: true });
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
    };

    before(async () => {
        cluster = await BackedUpCluster.open("hes3", { masters: ["m1"], workers: [] });
        const bucket = await serveS3(cluster.fixture.lab, "store", "site");
        s3 = { ...bucket, url: `${bucket.url}/core/etcd`, accessKey: "AKIATEST", region: "north-1" };
    });
    after(() => cluster?.fixture.close());

    it("are refused where the server's certificate is of no authority that the machine knows", async () => {
        const { caCertificate: _, ...others } = s3;
        cluster.args.etcdBackup.repository = { s3: others };
        await fails(/BACKUP_FAILED[\s\S]*certificate/);
    });

    it("are made in S3, and the keys of the bucket are in no log and no note of the node", async () => {
        cluster.args.etcdBackup.repository = { s3 };
        await cluster.give();
        await cluster.fixture.project.up();
        assert.equal((await last())["node"], "m1");
        await cluster.fixture.project.up({ expectNoChanges: true });
        const places = "/var/lib/pulumi-nfv /etc/systemd /usr/local/lib/pulumi-nfv";
        const said = await on(
            `grep -rlE "battery|a-secret-'key'" ${places}; journalctl | grep -cE "battery|a-secret-'key'" || true`,
        );
        assert.equal(said.trim(), "0");
    });

    it("come back from S3", async () => {
        for (const name of tenMarkers("kept")) await cluster.write(name);
        cluster.args.etcdBackup.run = "kept";
        await cluster.give();
        await cluster.fixture.project.up();
        await comesBack("from-s3");
    });

    it("are made in a folder from now on, where the program says so, and come back from there", async () => {
        // a folder on the disk of the system is refused
        await on("install -d -m 700 /srv/etcd-snapshots && mount -t tmpfs snapshots /srv/etcd-snapshots");
        cluster.args.etcdBackup.repository = { folder: "/srv/etcd-snapshots" };
        await cluster.give();
        await cluster.fixture.project.up();
        const { id } = await last();
        assert.match(await on("ls /srv/etcd-snapshots/snapshots"), new RegExp(`^${id}`, "m"));
        await comesBack("from-folder");
    });
});
