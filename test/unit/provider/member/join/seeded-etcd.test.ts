import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readScript } from "../../../../../provider/shell/script-file";
import { shellIn } from "../../shell/lib/shell-run";

/** The real functions; etcdutl makes a folder, as it does. */
describe("etcd's data from a snapshot that a restore has brought", () => {
    let shell: ReturnType<typeof shellIn>;
    const at = (name: string) => join(shell.folder, name);
    const member = () => at("etcd/member/from");

    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(at("seed"));
        writeFileSync(at("seed/note"), "word 1a2b3c4d\n");
        shell.program("ctr", "echo etcd");
        shell.program("kubeadm", "echo registry.k8s.io/etcd:3.6.5-0");
        shell.program("etcd", "echo etcd Version: 3.6.5");
        shell.program(
            "etcdutl",
            'while [ "$1" != --data-dir ]; do shift; done; mkdir -p "$2/member"; echo snapshot > "$2/member/from"',
        );
    });
    afterEach(() => shell.remove());

    const place = () =>
        shell.run(`
            SEED=word NAME=m1 PEER=https://10.0.0.11:2380 RESTORE_FAILED=40 CLUSTER_CONFIG_FILE=x ADMIN_CONFIG=x
            SEED_FOLDER=${at("seed")} ETCD_DATA=${at("etcd")}
            mount_etcd_image() { programs=${at("bin")}; }
            unmount_etcd_image() { :; }
            etcd_version() { etcd | sed 's/.*: //'; }
            ${readScript("member/lib/proven-snapshot.sh").body}
            ${readScript("member/join/lib/seeded-etcd.sh").body}
            require_seed
            place_seed`);

    it("is made once; what etcd has written since stays", () => {
        const { status, stderr } = place();
        assert.equal(status, 0, stderr);
        assert.equal(readFileSync(member(), "utf8"), "snapshot\n");
        writeFileSync(member(), "written since\n");
        assert.equal(place().status, 0);
        assert.equal(readFileSync(member(), "utf8"), "written since\n");
    });

    it("is not made of a snapshot of a newer minor of etcd, which would not start with it", () => {
        writeFileSync(at("seed/about"), "etcd=3.7.0\nkubernetes=1.36.2\n");
        const { status, stderr } = place();
        assert.equal(status, 40);
        assert.match(
            stderr,
            /made by etcd 3\.7\.0, and this machine's etcd 3\.6\.5 cannot read it.*nothing was changed/,
        );
        assert.ok(!existsSync(at("etcd")));
        writeFileSync(at("seed/about"), "etcd=3.5.30\n");
        assert.equal(place().status, 0);
    });

    it("is made again where kubeadm reset has deleted it: an empty cluster would begin otherwise", () => {
        place();
        rmSync(at("etcd"), { recursive: true });
        assert.equal(place().status, 0);
        assert.ok(existsSync(member()), "kubeadm would begin with an empty etcd");
    });
});
