import assert from "node:assert/strict";
import { Lab } from "../../../../lab";
import type { BackupRepository, StorageSpec } from "../../../../provider/storage/spec";
import { type Bucket, serveS3 } from "../../../support/s3-on-node";
import { skipIf } from "../../../support/skip";
import { asStory } from "../../../support/story";
import { sampleExport, sampleStorage, sampleVolume } from "../../../unit/provider/storage/sample-storage";
import { StorageMachine } from "./storage-machine";

const owner = "store-12345678";
const secretKey = "a secret 'key' $HOME";

/** The real restic, and an S3 server of another machine behind the real HAProxy, with a certificate of an authority of the site. */
describe("backups to S3, real", function () {
    asStory(this);
    let lab: Lab;
    let st1: StorageMachine;
    let bucket: Bucket;
    let sum: string;

    const toS3 = (changes: Partial<NonNullable<BackupRepository["s3"]>> = {}): BackupRepository => {
        const place = { ...bucket, url: `${bucket.url}/nightly` };
        return { s3: { ...place, accessKey: "AKIATEST", secretKey, region: "north-1", ...changes } };
    };
    const spec = (repository: BackupRepository, run: string, changes: Partial<StorageSpec> = {}): StorageSpec =>
        sampleStorage({
            clusterId: owner,
            address: lab.node("st1").address,
            volumes: { data: sampleVolume({ owner, disk: st1.disk(0) }) },
            exports: { "/exports/data": sampleExport({ clients: ["10.99.0.0/24"] }) },
            backups: {
                nightly: {
                    ...{ exports: ["/exports/data"], password: "correct horse", schedule: "*-*-* 02:30" },
                    ...{ keep: { last: 2 }, repository, run },
                },
            },
            ...changes,
        });
    const sums = (folder: string) => st1.on(`cd ${folder} && find . -type f -exec sha256sum {} + | sort`);
    const fails = async (repository: BackupRepository, pattern: RegExp) => {
        const output = await st1.operator(spec(repository, "1")).finished;
        assert.match(output, pattern);
        assert.doesNotMatch(output, /correct horse|a secret/);
    };

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        // only this image has HAProxy
        await Lab.up({ name: "s3", nodes: ["w1"], image: "kubernetes" });
        lab = await Lab.up({ name: "s3", nodes: ["w1", "st1"], nfs: true, volumes: { st1: [2 ** 30] } });
        st1 = new StorageMachine(lab, "st1");
        bucket = await serveS3(lab, "w1", "site");
    });
    after(() => lab?.down());

    it("are refused where the server's certificate is of no authority that the machine knows", async () => {
        await st1.setUp(spec(toS3(), "", { backups: {} }));
        await st1.on("head -c 20000000 /dev/urandom >/exports/data/large; echo one >'/exports/data/a file'");
        sum = await sums("/exports/data");
        await fails(toS3({ caCertificate: undefined }), /BACKUP_FAILED[\s\S]*certificate/);
    });

    it("are made where the program names the authority; its keys are in no argument and no log", async () => {
        await st1.setUp(spec(toS3(), "1"));
        assert.match(await st1.on("cat /var/lib/pulumi-nfv/backups/nightly.done"), /Z [0-9a-f]{8}/);
        const places = "/var/lib/pulumi-nfv /etc/systemd /usr/local/lib/pulumi-nfv";
        assert.equal(await st1.on(`grep -rl 'a secret' ${places}; journalctl | grep -c 'a secret' || true`), "0\n");
    });

    it("come back byte for byte", async () => {
        const back = { backup: "nightly", snapshot: "latest", path: "/exports/data", volume: "data", owner: "" };
        await st1.setUp(spec(toS3(), "1", { restores: { back: { ...back, folder: "restored" } } }));
        assert.equal(await sums("/srv/pulumi-nfv/data/restored"), sum);
    });
});
