import assert from "node:assert/strict";
import { createHash, createPublicKey } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newServiceAccountKey } from "../../../../../provider/identity";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { readScript, script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/**
 * A clock of its own, because a start and a change are compared by seconds. Each component runs since second 100; one that is killed comes back at once, unless the
 * file "dead" exists.
 */
const world = `
    sync() { :; }
    now() { cat clock 2>/dev/null || echo 1000; }
    sleep() { echo $(($(now) + 1 + \${1%.*})) > clock; }
    date() { now; }
    mv() { command mv "$@"; now > "$2".changed; }
    stat() { cat "$3".changed 2>/dev/null || echo 0; }
    process_of() { cat "pid-$1"; }
    other_process() { :; }
    kill() {
        for component in kube-apiserver kube-controller-manager; do
            [ "$(cat "pid-$component")" = "$2" ] || continue
            echo "$component" >> killed
            [ -e dead ] || { echo "$2"9 > "pid-$component"; now > "start-$2"9; }
        done
    }
    ps() { echo $(($(now) - $(cat "start-$4" 2>/dev/null || echo 100))); }
    curl() { :; }
`;

/** Secrets are files "NAMESPACE NAME" with their token in base64. The controller manager fills those without one, with the token "filled", while the file "leader" exists. */
const secretsInCluster = `
    kubectl() {
        case "$1 $2" in
            "get secrets")
                for file in cluster/*; do
                    if [ -e leader ] && [ ! -s "$file" ]; then cat filled > "$file"; fi
                    case $file in *" leaving") ends=2026-11-27T00:00:00Z ;; *) ends= ;; esac
                    echo "\${file#cluster/} ends:$ends $(cat "$file")"
                done ;;
            "-n "*)
                [ "$3 $4 $6" = "patch secret --type=json" ] && [ -s "cluster/$2 $5" ] || return 1
                case $5 in immutable*) echo "field is immutable" >&2; return 1 ;; esac
                echo "$2 $5" >> emptied
                : > "cluster/$2 $5" ;;
        esac
    }
    mktemp() { mkdir work; echo work; }
`;

type Key = Awaited<ReturnType<typeof newServiceAccountKey>>;

describe("the scripts of the service-account key on a control-plane node", () => {
    let shell: ShellRun;
    let first: Key;
    let next: Key;
    const at = (name: string) => join(shell.folder, name);
    const read = (name: string) => readFileSync(at(name), "utf8");
    const write = (name: string, content: string) => writeFileSync(at(name), content);
    const kept = "sa.key sa.pub";
    const constants = () => ({
        ...{ PKI_FOLDER: at("pki"), MEMBER_FILE: at("member"), INIT_STARTED_FILE: at("init-started") },
        ...{ NODE_NOTES: at("notes"), KUBERNETES_FOLDER: at("kubernetes"), ADMIN_CONFIG: at("admin.conf") },
        ...{ ROTATION_FAILED: exitCodes.ROTATION_FAILED, AUTHORITY_FILE: at("authority") },
        ROTATED_FILE: at("rotated"),
    });
    const run = (name: string, env: Record<string, string> = {}) => {
        const path = `${name}.sh`;
        const declared = readScript(path).constants;
        const used = Object.fromEntries(Object.entries(constants()).filter(([key]) => declared.includes(key)));
        const values = Object.entries({ SECRETS: at("secrets"), ADDRESS: "10.0.0.1", ...env });
        const text = script(path, used);
        // The world takes the place of what the libraries define.
        const lines = text.split("\n");
        const begin = lines.findIndex(line => /^(refuse|keys_are_ours|kept=|for |say_state|work=)/.test(line));
        const whole = [...lines.slice(0, begin), world, secretsInCluster, ...lines.slice(begin)].join("\n");
        return shell.run(`${values.map(([key, value]) => `${key}='${value}'`).join("\n")}\n${whole}`);
    };
    const rotate = (STAGE: string, FORMER_KEY = "") =>
        run("procedures/service-account-key/rotate-service-account-key", {
            KEY_NAME: next.serviceAccountKeyName,
            STAGE,
            FORMER_KEY,
        });
    const manifests = (apiServer: string) => {
        mkdirSync(at("kubernetes/manifests"), { recursive: true });
        write("kubernetes/manifests/kube-apiserver.yaml", apiServer);
        write(
            "kubernetes/manifests/kube-controller-manager.yaml",
            `    - --service-account-private-key-file=${at("pki/sa.key")}\n`,
        );
    };
    const ours = () =>
        `    - --service-account-key-file=${at("pki/sa.pub")}\n    - --service-account-signing-key-file=${at("pki/sa.key")}\n`;
    const names = () =>
        read("pki/sa.pub")
            .split(/(?<=-----END PUBLIC KEY-----\n)/)
            .filter(Boolean)
            .map(pem => createPublicKey(pem).export({ type: "spki", format: "der" }))
            .map(der => createHash("sha256").update(der).digest("base64url"));

    /** As print-keys.sh prints them. */
    const printed = (...texts: string[]) =>
        kept
            .split(" ")
            .map((path, index) => `${path} ${Buffer.from(texts[index]!).toString("base64")}\n`)
            .join("");

    before(async () => {
        [first, next] = await Promise.all([newServiceAccountKey(), newServiceAccountKey()]);
    });
    beforeEach(() => {
        shell = shellIn("sh");
        for (const folder of ["secrets", "pki"]) mkdirSync(at(folder));
        write("secrets/key", next.serviceAccountKey);
        write("secrets/public", next.serviceAccountPublicKey);
        write("secrets/program", printed(next.serviceAccountKey, next.serviceAccountPublicKey));
        write("pki/sa.key", first.serviceAccountKey);
        write("pki/sa.pub", first.serviceAccountPublicKey);
        write("pid-kube-apiserver", "11\n");
        write("pid-kube-controller-manager", "22\n");
        manifests(ours());
    });
    afterEach(() => shell.remove());

    it("make a key known, let it sign, and leave it alone, each also a second time; what knows it already does not restart", () => {
        const sum = (name: string) => createHash("sha256").update(read(name)).digest("hex");
        write("member", "core-1\n");
        write("notes", `${sum("pki/sa.pub")} ${sum("pki/sa.key")}\n`);
        const [a, b] = [first.serviceAccountKeyName, next.serviceAccountKeyName];
        const apiServer = "kube-apiserver\n";
        const stages: [string, string[], Key, string][] = [
            ["known", [b, a], first, apiServer],
            ["sign", [b, a], next, `${apiServer}kube-controller-manager\n`],
            ["alone", [b], next, apiServer],
        ];
        for (const [stage, expected, signs, restarted] of stages) {
            write("killed", "");
            for (const _ of [1, 2]) {
                const { status, stderr } = rotate(stage);
                assert.equal(status, 0, `${stage}: ${stderr}`);
                assert.deepEqual(names(), expected, stage);
                assert.equal(read("pki/sa.key"), signs.serviceAccountKey, stage);
                assert.equal(read("notes"), `${sum("pki/sa.pub")} ${sum("pki/sa.key")}\n`, "a refresh finds no change");
                assert.equal(read("killed"), restarted, stage);
                assert.equal(existsSync(at("rotated")), stage === "alone");
            }
        }
        assert.equal(read("rotated"), "core-1 service-account\n");
        assert.equal(statSync(at("pki/sa.key")).mode & 0o777, 0o600);
        assert.equal(statSync(at("pki/sa.pub")).mode & 0o777, 0o644);
    });

    it("refuse to sign with a key that is not accepted yet, and to end a key that still signs", () => {
        for (const [stage, reason] of [
            ["sign", /does not accept tokens of the new key yet/],
            ["alone", /does not accept tokens of the new key yet/],
        ] as const) {
            const { status, stderr } = rotate(stage);
            assert.equal(status, exitCodes.ROTATION_FAILED);
            assert.match(stderr, reason);
        }
        assert.equal(rotate("known").status, 0);
        assert.match(rotate("alone").stderr, /signs with another key than the new one/);
        assert.equal(names().length, 2);
    });

    it("end the keys before the one that signs when asked to, and none where another one signs than expected", async () => {
        const [a, b] = [first.serviceAccountKeyName, next.serviceAccountKeyName];
        const older = await newServiceAccountKey();
        const both = `${first.serviceAccountPublicKey}${older.serviceAccountPublicKey}`;
        for (const [former, expected] of [
            [older.serviceAccountKeyName, [b, a, older.serviceAccountKeyName]],
            ["", [b, a, older.serviceAccountKeyName]],
            [a, [b, a]],
        ] as const) {
            write("pki/sa.pub", both);
            assert.equal(rotate("known", former).status, 0);
            assert.deepEqual(names(), expected);
        }
    });

    it("refuse files of somebody else, and change nothing", () => {
        for (const manifest of [
            ours().replace("sa.pub", "mine.pub"),
            `${ours()}    - --service-account-key-file=/etc/mine.pub\n`,
            "",
        ]) {
            manifests(manifest);
            const { status, stderr } = rotate("known");
            assert.equal(status, exitCodes.ROTATION_FAILED);
            assert.match(stderr, /use other files of keys/);
            assert.equal(read("pki/sa.pub"), first.serviceAccountPublicKey);
        }
    });

    it("do not go on behind a component that does not restart", () => {
        write("dead", "");
        const { status, stderr } = rotate("known");
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /kube-apiserver did not restart, and may not know the changed key yet/);
    });

    it("keep what a node has, give the first one the program's key, and one that joins those of another node", () => {
        write("init-started", "core-1\n");
        assert.equal(run("member/join/keep-keys").status, 0);
        assert.equal(read("pki/sa.key"), first.serviceAccountKey);
        rmSync(at("init-started"));
        assert.equal(run("member/join/keep-keys").status, 0, "a former life's file is not kept");
        assert.equal(read("pki/sa.key"), next.serviceAccountKey);
        const both = `${next.serviceAccountPublicKey}${first.serviceAccountPublicKey}`;
        write("secrets/control-plane", `noise\n${printed(first.serviceAccountKey, both)}`);
        const { status, stderr } = run("member/join/keep-keys");
        assert.equal(status, 0, stderr);
        assert.equal(read("pki/sa.key"), first.serviceAccountKey);
        assert.equal(read("pki/sa.pub"), both);
        write("secrets/control-plane", printed("not", "a key"));
        assert.notEqual(run("member/join/keep-keys").status, 0, "what is no key is not taken");
        assert.equal(read("pki/sa.pub"), both);
    });

    it("leave a member without a file as it is, and say so", () => {
        write("member", "core-1\n");
        rmSync(at("pki/sa.key"));
        const { status, stderr } = run("member/join/keep-keys");
        assert.equal(status, 1);
        assert.match(stderr, /sa\.key is missing: copy it from another control-plane node/);
    });

    it("print what a joining node keeps", () => {
        const { status, stdout } = run("member/join/print-keys", { KEPT: kept });
        assert.equal(status, 0);
        assert.equal(stdout, printed(first.serviceAccountKey, first.serviceAccountPublicKey));
        rmSync(at("pki/sa.pub"));
        assert.notEqual(run("member/join/print-keys", { KEPT: kept }).status, 0);
    });

    const token = (kid: string) => {
        const part = (text: string) => Buffer.from(text).toString("base64url");
        const text = `${part(`{"alg":"RS256","kid":"${kid}"}`)}.${part("x".repeat(3000))}.sign`;
        return Buffer.from(text).toString("base64");
    };
    const renew = () =>
        run("procedures/service-account-key/renew-token-secrets", { KEY_NAME: next.serviceAccountKeyName });
    const giveSecrets = (names: readonly string[]) => {
        mkdirSync(at("cluster"));
        for (const name of names) write(`cluster/${name}`, token(first.serviceAccountKeyName));
        write("filled", token(next.serviceAccountKeyName));
        write("emptied", "");
    };
    const emptied = () => read("emptied").split("\n").filter(Boolean);

    it("give Secrets a token of the new key, those that have one stay, and one that is being deleted is left alone", () => {
        const names = Array.from({ length: 13 }, (_, i) => `apps s${i + 10}`);
        giveSecrets([...names, "old leaving"]);
        write("cluster/apps s22", token(next.serviceAccountKeyName));
        write("leader", "");
        const { status, stdout, stderr } = renew();
        assert.equal(status, 0, stderr);
        assert.match(stdout, /12 of 14 Secrets have a token of another key/);
        assert.deepEqual(emptied(), names.slice(0, 12));
        for (const name of names) assert.equal(read(`cluster/${name}`), token(next.serviceAccountKeyName));
        assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(token(next.serviceAccountKeyName).slice(0, 40)));
    });

    it("take no more than one Secret its token where no controller manager fills it, also when run again", () => {
        giveSecrets(["apps a", "apps b", "apps c"]);
        for (const _ of [1, 2]) {
            const { status, stderr } = renew();
            assert.equal(status, exitCodes.ROTATION_FAILED);
            assert.match(stderr, /3 Secrets did not get[\s\S]*apps a\n[\s\S]*the controller manager does not fill/);
            assert.deepEqual(emptied(), ["apps a"]);
            rmSync(at("work"), { recursive: true, force: true });
        }
    });

    it("give the others a token of the new key before they fail because of one that is immutable", () => {
        giveSecrets(["apps immutable", "apps x", "apps y"]);
        write("leader", "");
        const { status, stderr } = renew();
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /1 Secrets did not get[\s\S]*apps immutable\nfield is immutable/);
        assert.deepEqual(emptied(), ["apps x", "apps y"]);
    });
});
