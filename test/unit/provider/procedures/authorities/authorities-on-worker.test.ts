import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type KeySet, newKeySet, newKubeletClient, withNewAuthorities } from "../../../../../provider/identity";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { readScript, script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/** Waiting costs no time; kubelet is healthy, and has read its kubeconfig when it was started again behind the last change of it. */
const world = `
    kubelet_pki=$PWD/kubelet kubelet_client=$PWD/kubelet/kubelet-client-current.pem
    mktemp() { rm -rf work; mkdir work; echo work; }
    sync() { :; }
    sleep() { :; }
    curl() { :; }
    systemctl() { if [ "$1" = restart ]; then echo restart >> kubelet-starts; cp kubelet.conf kubelet-read; fi; }
    started_since() { cmp -s kubelet.conf kubelet-read; }
`;

describe("the scripts of a rotation of authorities on a worker", () => {
    let shell: ShellRun;
    let first: KeySet;
    let next: KeySet;
    const seal = () => "sealed";
    const at = (name: string) => join(shell.folder, name);
    const read = (name: string) => readFileSync(at(name), "utf8");
    const write = (name: string, text: string) => writeFileSync(at(name), text);
    const inBase64 = (text: string) => Buffer.from(text).toString("base64");
    const starts = () => (existsSync(at("kubelet-starts")) ? read("kubelet-starts").split("\n").length - 1 : 0);
    const sum = (name: string) => createHash("sha256").update(read(name)).digest("hex");
    const nameOfNext = () => next.certificates.exchanged!.name;

    const run = (name: string) => {
        const constants: Record<string, string | number> = {
            ...{ PKI_FOLDER: at("pki"), AUTHORITY_FILE: at("authority"), KUBELET_CONFIG: at("kubelet.conf") },
            ...{
                NODE_NOTES: at("notes"),
                KUBERNETES_FOLDER: at("kubernetes"),
                ROTATION_FAILED: exitCodes.ROTATION_FAILED,
            },
        };
        const declared = readScript(`procedures/authorities/${name}.sh`).constants;
        const used = Object.fromEntries(Object.entries(constants).filter(([key]) => declared.includes(key)));
        const lines = script(`procedures/authorities/${name}.sh`, used).split("\n");
        const begin = lines.findIndex(line => line.startsWith("work="));
        const whole = [...lines.slice(0, begin), world, ...lines.slice(begin)].join("\n");
        return shell.run(`SECRETS='${at("secrets")}'\nCA_NAME=${nameOfNext()}\n${whole}`);
    };
    const succeeds = (name: string) => {
        const { status, stdout, stderr } = run(name);
        assert.equal(status, 0, `${name}: ${stderr}`);
        assert.ok(!existsSync(at("work")), "nothing stays");
        return stdout;
    };

    before(async () => {
        first = await newKeySet();
        next = await withNewAuthorities(first, { validDays: 10, seal });
    });
    beforeEach(async () => {
        shell = shellIn("sh");
        for (const folder of ["pki", "kubelet", "secrets"]) mkdirSync(at(folder));
        const { caCertificate, exchanged } = next.certificates;
        const ca = (of: KeySet) => ({ certificate: of.certificates.caCertificate, key: of.keys.caKey });
        write(
            "secrets/authorities",
            `ca.crt ${inBase64(caCertificate)}\nca.bridge ${inBase64(exchanged!.bridges.ca)}\n`,
        );
        write("secrets/kubelet", await newKubeletClient(ca(next), exchanged!.bridges.ca, "w1"));
        write("kubelet/kubelet-client-1.pem", await newKubeletClient(ca(first), "", "w1"));
        symlinkSync(at("kubelet/kubelet-client-1.pem"), at("kubelet/kubelet-client-current.pem"));
        write("pki/ca.crt", first.certificates.caCertificate);
        write("authority", first.certificates.caCertificate);
        write(
            "kubelet.conf",
            `    certificate-authority-data: ${inBase64(first.certificates.caCertificate)}\n    client-key-data: secret\n`,
        );
        write(
            "notes",
            `${sum("pki/ca.crt")}
`,
        );
    });
    afterEach(() => shell.remove());

    it("give kubelet a certificate that both authorities take, then trust the new one alone; each does nothing a second time", () => {
        for (const _ of [1, 2]) {
            succeeds("issue-worker-certificate");
            assert.equal(read("kubelet/kubelet-client-current.pem"), read("secrets/kubelet"));
            assert.equal(starts(), 1);
        }
        assert.equal(read("pki/ca.crt"), first.certificates.caCertificate);
        assert.equal(statSync(at("kubelet/kubelet-client-current.pem")).mode & 0o777, 0o600);
        for (const _ of [1, 2]) {
            succeeds("trust-authority-on-worker");
            assert.equal(read("pki/ca.crt"), next.certificates.caCertificate);
            assert.ok(read("kubelet.conf").includes(inBase64(next.certificates.caCertificate)));
            assert.doesNotMatch(read("kubelet.conf"), /client-key-data: secret/);
            assert.equal(read("authority"), next.certificates.caCertificate + first.certificates.caCertificate);
            assert.equal(starts(), 2);
        }
        assert.equal(read("notes"), `${sum("pki/ca.crt")}\n`, "a refresh finds no change");
        assert.match(succeeds("issue-worker-certificate"), /trusts the new authority already/);
        assert.equal(starts(), 2);
        assert.deepEqual(
            [statSync(at("pki/ca.crt")).mode & 0o777, statSync(at("kubelet.conf")).mode & 0o777],
            [0o644, 0o600],
        );
        assert.deepEqual(readdirSync(at("pki")), ["ca.crt"]);
    });

    it("go on where a run was stopped between the file of the authority and the restart of kubelet", () => {
        succeeds("issue-worker-certificate");
        write("pki/ca.crt", next.certificates.caCertificate);
        write("authority", next.certificates.caCertificate + first.certificates.caCertificate);
        succeeds("trust-authority-on-worker");
        assert.equal(starts(), 2);
        assert.ok(read("kubelet.conf").includes(inBase64(next.certificates.caCertificate)));
    });

    it("refuse a machine with an authority that somebody has exchanged, and change nothing", async () => {
        const other = await newKeySet();
        write("pki/ca.crt", other.certificates.caCertificate);
        const { status, stderr } = run("issue-worker-certificate");
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /is neither the former authority nor the new one/);
        assert.match(readlinkSync(at("kubelet/kubelet-client-current.pem")), /kubelet-client-1\.pem$/);
        assert.equal(starts(), 0);
    });
});
