import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encryptionConfig } from "../../../../../provider/member/join/api-server-files";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { readScript, script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/** The API server takes changed settings over at once, unless the file "deaf" exists; nothing runs that could be restarted. */
const world = `
    pgrep() { return 1; }
    sleep() { :; }
    sync() { :; }
    curl() { echo '{ "reason": "Forbidden", "code": 403 }'; }
    kubectl() {
        [ ! -e deaf ] || return 0
        echo 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds{status="success"} 9e9'
    }
`;

describe("the scripts of the encryption key on a control-plane node", () => {
    let shell: ShellRun;
    const at = (name: string) => join(shell.folder, name);
    const settings = () => at("settings/encryption.yaml");
    const text = () => readFileSync(settings(), "utf8");
    const write = (name: string, content: string) => writeFileSync(at(name), content);
    const constants = () => ({
        ...{ API_SERVER_FOLDER: at("settings"), ENCRYPTION_FILE: settings(), MEMBER_FILE: at("member") },
        ...{
            INIT_STARTED_FILE: at("init-started"),
            ADMIN_CONFIG: at("admin.conf"),
            NODE_NOTES: at("notes"),
            ROTATED_FILE: at("rotated"),
        },
        ...{ API_SERVER_MANIFEST: at("manifest"), PKI_FOLDER: at("pki"), KUBERNETES_FOLDER: at("kubernetes") },
    });
    const run = (name: string, env: Record<string, string> = {}) => {
        const path = `${name}.sh`;
        const declared = readScript(path).constants;
        const used = Object.fromEntries(Object.entries(constants()).filter(([key]) => declared.includes(key)));
        const values = Object.entries({ SECRETS: at("secrets"), ...env }).map(([key, value]) => `${key}='${value}'`);
        return shell.run(`${values.join("\n")}\n${world}\n${script(path, used)}`);
    };

    beforeEach(() => {
        shell = shellIn("sh");
        for (const folder of ["secrets", "settings"]) mkdirSync(at(folder));
        write("secrets/encryption", encryptionConfig("cHJvZ3JhbQ==", "key-0000000000"));
        write(
            "manifest",
            `    - --encryption-provider-config=${settings()}\n    - --encryption-provider-config-automatic-reload=true\n`,
        );
    });
    afterEach(() => shell.remove());

    it("keep what a node has, give the first one the program's key, and one that joins those of another node", () => {
        assert.equal(run("member/join/keep-encryption-keys").status, 0);
        assert.match(text(), /name: key-0000000000[\s\S]*secret: cHJvZ3JhbQ==/);
        assert.equal(statSync(settings()).mode & 0o777, 0o600);
        write("settings/encryption.yaml", encryptionConfig("b3du", "key1"));
        write("init-started", "core-1\n");
        assert.equal(run("member/join/keep-encryption-keys").status, 0);
        assert.equal(text(), encryptionConfig("b3du", "key1"));
        const theirs = encryptionConfig("dGhlaXJz", "key-1111111111");
        write("secrets/control-plane", `noise\n${Buffer.from(theirs).toString("base64")}\n`);
        assert.equal(run("member/join/keep-encryption-keys").status, 0);
        assert.equal(text().trim(), theirs.trim());
    });

    it("leave a member without settings as it is, and say so: only another node has the keys in use", () => {
        write("member", "core-1\n");
        const { status, stderr } = run("member/join/keep-encryption-keys");
        assert.equal(status, 1);
        assert.match(stderr, /is missing: copy it from another control-plane node/);
        rmSync(at("member"));
        write("secrets/control-plane", "bm90IHNldHRpbmdz\n");
        assert.notEqual(run("member/join/keep-encryption-keys").status, 0, "what is no settings is not taken");
    });

    it("do not take a file of a former life of the machine for the cluster's keys", () => {
        write("settings/encryption.yaml", encryptionConfig("Zm9ybWVy", "key1"));
        assert.equal(run("member/join/keep-encryption-keys").status, 0);
        assert.match(text(), /name: key-0000000000[\s\S]*secret: cHJvZ3JhbQ==/);
    });

    it("give a member the program's key when its cluster turns encryption on after a rotation was asked for", () => {
        write("member", "core-1\n");
        write("manifest", "    - --advertise-address=10.0.0.1\n");
        const { status, stderr } = run("member/join/keep-encryption-keys");
        assert.equal(status, 0, stderr);
        assert.match(text(), /name: key-0000000000[\s\S]*secret: cHJvZ3JhbQ==/);
        write("settings/encryption.yaml", "");
        write("manifest", "");
        assert.equal(
            run("member/join/keep-encryption-keys").status,
            1,
            "a manifest that is being written says nothing",
        );
    });

    it("make a key known, let it encrypt, and leave it alone, each also a second time", () => {
        write("settings/encryption.yaml", encryptionConfig("Zmlyc3Q=", "key1"));
        write("secrets/key", "bmV4dA==");
        const keys = () =>
            [...text().matchAll(/name: (\S+)\n\s+secret: (\S+)/g)].map(([, name, secret]) => `${name} ${secret}`);
        const [first, next] = ["key1 Zmlyc3Q=", "key-0123456789 bmV4dA=="];
        const stages = { read: [first, next], write: [next, first], alone: [next] };
        const sum = () => createHash("sha256").update(text()).digest("hex");
        write("member", "core-1\n");
        write("notes", `nfv_file '${settings()}' '600' 'root:root' '${sum()}'\n`);
        for (const [STAGE, expected] of Object.entries(stages))
            for (const _ of [1, 2]) {
                const { status, stderr } = run("procedures/encryption-key/rotate-encryption-key", {
                    ADDRESS: "10.0.0.1",
                    KEY_NAME: "key-0123456789",
                    STAGE,
                    WAITS: "yes",
                });
                assert.equal(status, 0, stderr);
                assert.deepEqual(keys(), expected, STAGE);
                assert.equal(existsSync(at("rotated")), STAGE === "alone");
                const noted = `nfv_file '${settings()}' '600' 'root:root' '${sum()}'\n`;
                assert.equal(readFileSync(at("notes"), "utf8"), noted, "a refresh finds no change");
            }
        assert.match(text(), /- identity: \{\}/);
        assert.equal(readFileSync(at("rotated"), "utf8"), "core-1 encryption\n");
    });

    it("refuse a key that the node does not know yet, and settings that are not ours", () => {
        write("settings/encryption.yaml", encryptionConfig("Zmlyc3Q=", "key1"));
        write("secrets/key", "bmV4dA==");
        const env = { ADDRESS: "10.0.0.1", KEY_NAME: "key-0123456789", STAGE: "write", WAITS: "yes" };
        const unknown = run("procedures/encryption-key/rotate-encryption-key", env);
        assert.deepEqual(
            [unknown.status, /does not know the new key/.test(unknown.stderr)],
            [exitCodes.ROTATION_FAILED, true],
        );
        write("manifest", "    - --encryption-provider-config=/etc/mine\n");
        assert.match(
            run("procedures/encryption-key/rotate-encryption-key", { ...env, STAGE: "read" }).stderr,
            /does not use/,
        );
        assert.equal(text(), encryptionConfig("Zmlyc3Q=", "key1"));
    });

    it("refuse settings that would not stay what they are", () => {
        write("secrets/key", "bmV4dA==");
        const env = { ADDRESS: "10.0.0.1", KEY_NAME: "key-0123456789", STAGE: "read", WAITS: "yes" };
        const own = encryptionConfig("Zmlyc3Q=", "key1");
        const odd = {
            "other objects": own.replace("- secrets\n", "- secrets\n      - configmaps\n"),
            "a comment behind a name": own.replace("name: key1", "name: key1 # of 2025"),
            "another kind of key": own.replace("- secretbox:", "- aescbc:"),
            "unencrypted first": own
                .replace("      - identity: {}\n", "")
                .replace("      - secretbox:", "      - identity: {}\n      - secretbox:"),
            "a second list": `${own}  - resources:\n      - configmaps\n    providers:\n      - identity: {}\n`,
        };
        for (const [what, content] of Object.entries(odd)) {
            assert.notEqual(content, own, what);
            write("settings/encryption.yaml", content);
            assert.equal(
                run("procedures/encryption-key/rotate-encryption-key", env).status,
                exitCodes.ROTATION_FAILED,
                what,
            );
            assert.equal(text(), content, what);
        }
        const harmless = `# copied from m2\n${own.replace("key1", '"key1"').replaceAll("\n", "\r\n")}`;
        write("settings/encryption.yaml", harmless);
        assert.equal(run("procedures/encryption-key/rotate-encryption-key", env).status, 0);
    });

    it("do not go on where the API server can be neither told nor restarted", () => {
        write("settings/encryption.yaml", encryptionConfig("Zmlyc3Q=", "key1"));
        write("secrets/key", "bmV4dA==");
        write("deaf", "");
        const env = { ADDRESS: "10.0.0.1", KEY_NAME: "key-0123456789", STAGE: "read", WAITS: "yes" };
        const { status, stderr } = run("procedures/encryption-key/rotate-encryption-key", env);
        assert.deepEqual([status, /did not restart/.test(stderr)], [exitCodes.ROTATION_FAILED, true], stderr);
        const placed = run("procedures/encryption-key/rotate-encryption-key", { ...env, WAITS: "" });
        assert.deepEqual([placed.status, placed.stderr], [0, ""], "where they are only placed nothing is waited for");
    });
});
