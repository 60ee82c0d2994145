import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { joinCluster } from "../../../../../provider/member/join/join-cluster";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { usualPath } from "../../../../../provider/shell/script";
import { nodeSpec } from "../../sample-specs";

/** kubeadm and etcdutl are none here, each records its calls: the stories on lab nodes have them. */
describe("the script that initialises with a snapshot", () => {
    let root: string;
    const at = (name: string) => join(root, name);
    const put = (name: string, text = "") => {
        mkdirSync(dirname(at(name)), { recursive: true });
        writeFileSync(at(name), text, { mode: 0o755 });
    };
    const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
    const programs = () => `
kubeadm() { case $1 in config) echo registry.k8s.io/etcd:3.6.6-0 ;; init) echo "kubeadm $*" >>${root}/calls; [ ! -e ${root}/init-fails ] ;; esac; }
ctr() { case "$*" in *list*) echo there ;; *" mount "*) mkdir -p ${root}/image/bin; cp ${root}/etcdutl ${root}/image/bin/etcdutl; cp ${root}/etcd ${root}/image/bin ;; esac; }
kubectl() { case "$*" in *" get "*) printf 'node/m1\\nnode/m2\\nnode/m3\\n' ;; *) echo "kubectl $*" >>${root}/calls ;; esac; }
`;
    const init = async (seed?: string, keys = {}) => {
        const given = await nodeSpec({ role: "controlPlane", name: "m1", address: "10.0.0.1" });
        const spec = { ...given, keys: { ...given.keys!, ...keys } };
        const { run, env } = joinCluster("init", seed === undefined ? {} : { seed })(spec)!;
        const script = run!
            .replace(usualPath, programs())
            .replace(/\/(etc\/kubernetes|var\/lib)\//g, `${root}/$1/`)
            .replace("/run/pulumi-nfv-etcd-image", at("image"))
            .replaceAll(`${root}/var/lib/etcd'`, `${root}/var/lib/etcd'`)
            .replace("ETCD_DATA='/var/lib/etcd'", `ETCD_DATA='${at("var/lib/etcd")}'`)
            .replace("PKI_FOLDER='/etc/kubernetes/pki'", `PKI_FOLDER='${at("etc/kubernetes/pki")}'`);
        rmSync(at("calls"), { force: true });
        return spawnSync("sh", ["-eu"], { input: script, encoding: "utf8", env: { ...env, PATH: process.env.PATH } });
    };
    const data = () => read("var/lib/etcd/member/snap/db");
    const seed = "var/lib/pulumi-nfv/etcd-seed";

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-seed-"));
        put("etc/kubernetes/pulumi-nfv/cluster.yaml");
        put("etc/kubernetes/pki/ca.crt", "ca");
        put(`${seed}/note`, "one 0123abcd 1.34.4\n");
        put(`${seed}/about`, "etcd=3.6.5\n");
        put(`${seed}/snapshot.db`, "snapshot");
        put("etcd", "#!/bin/sh\necho 'etcd Version: 3.6.6'\n");
        put(
            "etcdutl",
            `#!/bin/sh\necho "etcdutl $*" >>${root}/calls\n[ ! -e ${root}/damaged ] || { echo "Error: snapshot file integrity check failed" >&2; exit 1; }\nwhile [ $# -gt 0 ]; do case $1 in --data-dir) mkdir -p "$2/member/snap"; cp "${root}/${seed}/snapshot.db" "$2/member/snap/db" ;; esac; shift; done\n`,
        );
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    it("makes etcd's data of it before kubeadm begins, then forgets the lost masters and the snapshot", async () => {
        const { status, stderr } = await init("one");
        assert.equal(status, 0, stderr);
        assert.equal(data(), "snapshot");
        const [restored, begun, forgot] = read("calls").split("\n");
        assert.match(restored!, /snapshot restore \S+ --name m1 --initial-cluster m1=https:\/\/10\.0\.0\.1:2380 /);
        assert.match(restored!, /--bump-revision 1\d{12} --mark-compacted/);
        assert.match(begun!, /kubeadm init .*--ignore-preflight-errors=DirAvailable--var-lib-etcd$/);
        assert.match(forgot!, /kubectl .* delete --ignore-not-found node\/m2 node\/m3$/);
        assert.ok(!existsSync(at(seed)));
        assert.match(read("var/lib/pulumi-nfv/member"), /\S/);
        assert.equal(read("var/lib/pulumi-nfv/etcd-restored"), "one 0123abcd\n");
    });

    it("notes of which keys the restored cluster never has the first one, once it is there", async () => {
        const notes = "var/lib/pulumi-nfv/rotated";
        const rotated = { encryptionKeyName: "key-1", serviceAccountKeyName: "kid" };
        put("init-fails");
        assert.notEqual((await init("one", rotated)).status, 0);
        assert.equal(read(notes), "", "another state of the stack may be the right one for this snapshot");
        rmSync(at("init-fails"));
        assert.equal((await init("one", rotated)).status, 0);
        const cluster = read("var/lib/pulumi-nfv/member").trim();
        assert.equal(read(notes), `${cluster} encryption\n${cluster} service-account\n`);
    });

    it("goes on where it was killed or failed: the data is made once", async () => {
        put("init-fails");
        assert.notEqual((await init("one")).status, 0);
        put("var/lib/etcd/member/snap/db", "written since");
        rmSync(at("init-fails"));
        const { status, stderr } = await init("one");
        assert.equal(status, 0, stderr);
        assert.equal(data(), "written since");
        assert.doesNotMatch(read("calls"), /etcdutl/);
    });

    it("takes data that was moved, and not noted yet, as placed", async () => {
        put("var/lib/etcd/member/snap/db", "snapshot");
        assert.equal((await init("one")).status, 0);
        assert.doesNotMatch(read("calls"), /etcdutl/);
    });

    it("begins no empty cluster where the snapshot is not there, or is one of another word", async () => {
        for (const note of ["two 0123abcd\n", ""]) {
            put(`${seed}/note`, note);
            const { status, stderr } = await init("one");
            assert.equal(status, exitCodes.RESTORE_FAILED);
            assert.match(
                stderr,
                /has no snapshot of it, and kubeadm would begin an empty cluster; nothing was changed/,
            );
            assert.equal(read("calls") + data() + read("var/lib/pulumi-nfv/init-started"), "");
        }
    });

    it("leaves etcd's folder empty where etcdutl refuses the snapshot", async () => {
        put("damaged");
        const { status, stderr } = await init("one");
        assert.equal(status, exitCodes.RESTORE_FAILED);
        assert.match(stderr, /integrity check failed/);
        assert.ok(!existsSync(at("var/lib/etcd/member")));
        assert.doesNotMatch(read("calls"), /kubeadm init/);
    });

    it("without a restore begins an empty cluster, and leaves no snapshot that one had brought", async () => {
        assert.equal((await init()).status, 0);
        assert.equal(data(), "");
        assert.ok(!existsSync(at(seed)));
    });
});
