import assert from "node:assert/strict";
import type { ControlPlaneKeys } from "../../../../../provider/common/model";
import { identityOfKeys } from "../../../../../provider/etcd/keys-identity";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { SnapshotMachine } from "../../etcd/snapshot-machine";

/** The keys of a SnapshotMachine, as Pulumi's state has them: their line ends may differ. */
const keys = {
    caCertificate: "ca.crt\r\n",
    etcdCaCertificate: "etcd/ca.crt",
    frontProxyCaCertificate: "front-proxy-ca.crt\n",
    serviceAccountPublicKey: "sa.pub\n",
    encryptionKey: "canary-secret==",
} as ControlPlaneKeys;

/** Real scripts in a real shell, on a machine that is empty. */
describe("a snapshot on a machine that will begin the cluster with it", () => {
    let machine: SnapshotMachine;
    const env = { WORD: "one", SNAPSHOT: "00000010", VERSION: "1.34.9", IDENTITY: identityOfKeys(keys, true) };
    const fetch = (changes = {}) => machine.runScript("procedures/etcd-restore/fetch-seed.sh", { ...env, ...changes });
    const refused = (changes: object, pattern: RegExp) => {
        const { code, stderr } = fetch(changes);
        assert.equal(code, exitCodes.RESTORE_FAILED, stderr);
        assert.match(stderr, pattern);
        assert.match(stderr, /nothing was changed/);
        assert.deepEqual(machine.list("seed"), []);
    };

    beforeEach(() => {
        machine = new SnapshotMachine();
        const { code, stderr } = machine.start(machine.specOf());
        assert.equal(code, 0, stderr);
        machine.restores();
    });
    afterEach(() => machine.remove());

    it("has the fingerprint of the keys in the state, also where Secrets are not encrypted", () => {
        const chosen = (IDENTITY: string) =>
            machine.runScript("procedures/etcd-restore/choose-snapshot.sh", { SNAPSHOT: "latest", IDENTITY });
        assert.match(chosen(env.IDENTITY).stdout, /^00000010 4711/);
        const other = chosen(identityOfKeys({ ...keys, encryptionKey: "another" }, true));
        assert.match(other.stderr, /belongs to other keys/);
        machine.drop("kubernetes/pulumi-nfv/encryption.yaml");
        assert.equal(machine.asked("second").code, 0);
        assert.match(chosen(identityOfKeys(keys, false)).stdout, /^00000011 4711/);
    });

    it("is fetched, proven and noted; a second time nothing is fetched", () => {
        for (const _ of [1, 2]) assert.equal(fetch().code, 0);
        assert.equal(machine.read("seed/note"), "one 00000010 1.34.9\n");
        assert.deepEqual(machine.list("seed"), ["about", "note", "snapshot.db"]);
        assert.equal(machine.commands.filter(name => name === "restore").length, 1);
        assert.equal(machine.runScript("procedures/etcd-restore/print-seed.sh").stdout, "one 00000010 1.34.9\n");
        assert.equal(fetch({ WORD: "two" }).code, 0);
        assert.equal(machine.read("seed/note"), "two 00000010 1.34.9\n");
    });

    it("that is there for another version is no snapshot for this one", () => {
        assert.equal(fetch().code, 0);
        refused({ VERSION: "1.35.4" }, /is of Kubernetes 1\.34\.4, the program has 1\.35\.4/);
    });

    it("is refused where it is damaged, of other keys, of another minor version, or cannot be fetched: nothing stays", () => {
        machine.write("damage", "");
        refused({}, /is damaged: its content has another checksum/);
        machine.drop("damage");
        refused({ IDENTITY: "0123456789abcdef" }, /belongs to other keys than this cluster has/);
        refused({ VERSION: "1.35.4" }, /is of Kubernetes 1\.34\.4, the program has 1\.35\.4: set kubernetes\.version/);
        machine.write("fail-restore", "echo 'Fatal: ciphertext verification failed' >&2; exit 1");
        refused({}, /restic failed: ciphertext verification failed/);
    });
});
