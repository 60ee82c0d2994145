import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Lab } from "../../../lab";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, UserProject } from "../../support/user-project";

const gib = 2 ** 30;

describe("a StorageServer, by the real engine on a real machine", function () {
    this.timeout(400_000);
    asStory(this);
    let lab: Lab;
    let project: UserProject;
    let disk: string;
    let owner: string;

    const args = (changes: object = {}) => {
        const { address, hostKey, privateKey } = lab.node("st1");
        return {
            name: "store",
            server: { address, ssh: { user: "debian", privateKey, hostKey } },
            volumes: { data: { disk } },
            exports: { "/exports/data": { volume: "data", clients: ["10.99.0.0/24"] } },
            nfs3: true,
            ...changes,
        };
    };
    const give = (changes?: object) => project.give(args(changes));
    const on = (command: string) => lab.mustSsh("st1", command);
    const refused = async (pattern: RegExp, argv = ["preview", "--non-interactive"]) => {
        const { code, output } = await project.pulumi.start(argv).done;
        assert.notEqual(code, 0, output);
        assert.match(output, pattern);
    };

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        skipIf(this, notBuilt());
        lab = await Lab.up({ name: "storeengine", nodes: ["st1"], nfs: true, volumes: { st1: [gib] } });
        disk = `/dev/disk/by-id/virtio-${lab.status()[0]!.volumes[0]!.id}`;
        project = await UserProject.make("store", "test/integration/components/storage-program.js", [], argv =>
            lab.enter(argv),
        );
        give();
    });
    after(async () => {
        project?.remove();
        await lab?.down();
    });

    it("shows its steps before it exists", async () => {
        const text = await project.pulumi.preview("--diff");
        for (const title of ["install the NFS server", "prepare the volumes", "serve the exports"])
            assert.match(text, new RegExp(`${title}"?\\s*: "to do"`));
    });

    it("refuses a disk with somebody's data, and touches nothing on the machine", async () => {
        await on(`mkfs.ext4 -q -L theirs ${disk}`);
        await refused(/FOREIGN_VOLUME[\s\S]*ext4 label theirs/, ["up", "--yes", "--skip-preview", "--non-interactive"]);
        assert.equal(await on("ls /etc/exports.d 2>/dev/null | wc -l; grep -c pulumi /etc/fstab || true"), "0\n0\n");
        await on(`dd if=/dev/zero of=${disk} bs=1M count=1024 conv=fsync status=none`);
    });

    it("stands after one `pulumi up`, which the next one leaves as it is", async () => {
        await project.pulumi.up();
        await on("echo kept >/exports/data/file");
        assert.equal(await project.pulumi.output("address"), lab.node("st1").address);
        assert.deepEqual(JSON.parse(await project.pulumi.output("paths")), ["/exports/data"]);
        assert.match(await project.pulumi.output("fingerprint"), /^SHA256:/);
        owner = await project.pulumi.output("owner");
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("keeps its login out of the plain state", () => {
        const files = readdirSync(project.pulumi.stateFolder, { recursive: true, withFileTypes: true });
        const texts = files
            .filter(each => each.isFile())
            .map(each => readFileSync(join(each.parentPath, each.name), "utf8"));
        const [, line] = lab.node("st1").privateKey.split("\n");
        assert.ok(texts.length > 0 && texts.every(text => !text.includes(line!)));
    });

    it("shows at preview the one step that another client changes", async () => {
        give({ exports: { "/exports/data": { volume: "data", clients: ["10.99.0.21"] } } });
        const text = await project.pulumi.preview("--diff");
        assert.match(text, /~ serve the exports/);
        assert.doesNotMatch(text, /~ (prepare the volumes|make the exported folders|install)/);
        await project.pulumi.up();
        assert.match(await on("cat /etc/exports.d/pulumi-nfv.exports"), /10\.99\.0\.21\(rw/);
    });

    it("refuses at preview what would cost the volume its data", async () => {
        give({ volumes: { data: { disk, fileSystem: "xfs" } } });
        await refused(/volumes\.data\.fileSystem: it has ext4/);
        give({ volumes: { data: { disk, sizeGiB: 1 } } });
        await project.pulumi.up();
        give({ volumes: { data: { disk, sizeGiB: 9 } } });
        await refused(/1\.00 GiB, less than sizeGiB: 9/);
    });

    it("is repaired by a refresh and an `up` after somebody changed it", async () => {
        give({ volumes: { data: { disk, sizeGiB: 1 } } });
        await project.pulumi.up();
        await on("systemctl disable --now -q nfs-server; umount /exports/data; : >/etc/exports.d/pulumi-nfv.exports");
        const said = await project.pulumi.run(["refresh", "--yes", "--non-interactive"]);
        assert.match(said, /StorageMachine/);
        const text = await project.pulumi.preview();
        assert.match(text, /still to do: .*serve the exports/);
        await project.pulumi.up();
        assert.equal(await on("cat /exports/data/file; systemctl is-enabled nfs-server"), "kept\nenabled\n");
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("keeps the data when it is destroyed, says whose it is, and another server takes it over by that name", async () => {
        const said = await project.pulumi.destroy();
        assert.match(said, new RegExp(`volumes keep their data: data on \\S+ \\(owner ${owner}\\)`));
        assert.doesNotMatch(await on("cat /etc/fstab; ls /etc/exports.d 2>/dev/null || true"), /pulumi-nfv/);
        give({ name: "other" });
        await refused(new RegExp(`mark of somebody else: volume data of ${owner}`), [
            "up",
            "--yes",
            "--skip-preview",
            "--non-interactive",
        ]);
        give({ name: "other", volumes: { data: { disk, owner } } });
        await project.pulumi.up();
        assert.equal(await on("cat /exports/data/file"), "kept\n");
        await project.pulumi.destroy();
    });
});
