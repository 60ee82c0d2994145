import assert from "node:assert/strict";
import {
    cpSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type KeySet, newKeySet, newKubeletClient, withNewAuthorities } from "../../../../../provider/identity";
import { createClientCertificate } from "../../../../../provider/identity/certificates";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { readScript, script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/**
 * Waiting costs no time. A static pod has read what is in `read-NAME`; the member of etcd whose address is in `sick` is not healthy. kubeadm signs with real keys.
 */
const world = `
    kubelet_pki=$PWD/kubelet kubelet_client=$PWD/kubelet/kubelet-client-current.pem
    mktemp() { rm -rf work; mkdir work; echo work; }
    sync() { :; }
    sleep() { :; }
    curl() { :; }
    systemctl() { if [ "$1" = restart ]; then echo kubelet >> restarts; cp kubernetes/kubelet.conf kubelet-read; fi; }
    kubelet_has_read() { cmp -s "$1" kubelet-read; }
    wait_for_own_api_server() { :; }
    content_of() {
        case $1 in
            etcd) cat pki/etcd/*.crt ;;
            kube-apiserver) cat pki/*.crt pki/etcd/ca.crt ;;
            kube-controller-manager) cat pki/ca.crt kubernetes/controller-manager.conf ;;
            kube-scheduler) cat kubernetes/scheduler.conf ;;
        esac
    }
    has_read() { content_of "$1" | cmp -s - "read-$1"; }
    runs_with_former_certificate() { ! has_read "$1"; }
    restart_component() {
        echo "$1" >> restarts
        if [ "$1" = "\${STOPS_AT-}" ]; then exit 9; fi
        content_of "$1" > "read-$1"
    }
    e() {
        echo "$*" >> asked
        case $* in
            "member list") for i in 1 2 3; do echo "a$i, started, m$i, https://10.0.0.1$i:2380, https://10.0.0.1$i:2379, false"; done ;;
            *--cluster) [ ! -e sick ] ;;
            *) case $* in *$(cat sick 2>/dev/null || echo none)*) return 1 ;; esac ;;
        esac
    }
    signed() {
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 5 -subj "/CN=of-kubeadm" -CA "$1.crt" -CAkey "$1.key" \\
            -addext basicConstraints=critical,CA:false -keyout "$2.key" -out "$2.crt" 2>/dev/null
    }
    kubeadm() {
        folder=$(sed -n 's/^certificatesDir: //p' work/config.yaml)
        if [ "$3" = certs ]; then
            for pair in $certificates; do signed "$folder/\${pair#*:}" "$folder/\${pair%:*}"; done
        else
            signed "$folder/ca" work/made
            printf '    client-certificate-data: %s\\n    client-key-data: %s\\n' "$(base64 -w0 work/made.crt)" "$(base64 -w0 work/made.key)" > "work/conf/$4.conf"
        fi
    }
`;

const authorities = { ca: "ca", "etcd/ca": "etcdCa", "front-proxy-ca": "frontProxyCa" } as const;
type Path = keyof typeof authorities;
const paths = Object.keys(authorities) as Path[];
const leaves: Record<string, Path> = {
    ...{ apiserver: "ca", "apiserver-kubelet-client": "ca", "front-proxy-client": "front-proxy-ca" },
    ...{ "apiserver-etcd-client": "etcd/ca", "etcd/server": "etcd/ca", "etcd/peer": "etcd/ca" },
    "etcd/healthcheck-client": "etcd/ca",
};
const users = ["admin", "super-admin", "controller-manager", "scheduler"];
const pods = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

describe("the scripts of a rotation of authorities on a control-plane node", () => {
    let shell: ShellRun;
    let first: KeySet;
    let next: KeySet;
    const seal = () => "sealed";
    const at = (name: string) => join(shell.folder, name);
    const read = (name: string) => readFileSync(at(name), "utf8");
    const write = (name: string, text: string) => writeFileSync(at(name), text);
    const inBase64 = (text: string) => Buffer.from(text).toString("base64");
    const lines = (name: string) => (existsSync(at(name)) ? read(name).trim().split("\n") : []);
    const of = (keys: KeySet, path: Path) => {
        const name = authorities[path];
        return { certificate: keys.certificates[`${name}Certificate`], key: keys.keys[`${name}Key`] };
    };
    const dataIn = (conf: string, key: string) =>
        Buffer.from(new RegExp(`${key}: (.*)`).exec(read(conf))![1]!, "base64").toString();
    const trusts = (keys: KeySet) => paths.every(path => read(`pki/${path}.crt`) === of(keys, path).certificate);
    const verified = (authority: string, leaf: string) => {
        write("authority-to-ask", authority);
        write("leaf-to-ask", leaf);
        return shell.run("openssl verify -CAfile authority-to-ask -untrusted leaf-to-ask leaf-to-ask").status === 0;
    };

    const run = (name: string, { away = "", extra = "" } = {}) => {
        const constants: Record<string, string | number> = {
            ...{ PKI_FOLDER: at("pki"), AUTHORITY_FILE: at("authority"), AUTHORITY_BRIDGE: at("notes/bridge") },
            ...{ KUBERNETES_FOLDER: at("kubernetes"), KUBELET_CONFIG: at("kubernetes/kubelet.conf") },
            ...{ NODE_NOTES: at("node-notes"), CLUSTER_CONFIG_FILE: at("cluster.yaml"), FORMERS_FILE: at("formers") },
            ...{ MEMBER_FILE: at("member"), ROTATED_FILE: at("rotated") },
            ...{ APPLIED_FOLDER: at("applied"), FORMER_MANIFESTS: at("former") },
        };
        const declared = readScript(`procedures/authorities/${name}.sh`).constants;
        const used = Object.fromEntries(Object.entries(constants).filter(([key]) => declared.includes(key)));
        const text = script(`procedures/authorities/${name}.sh`, used).split("\n");
        const begin = text.indexOf("require_openssl");
        const whole = [...text.slice(0, begin), world, extra, ...text.slice(begin)].join("\n");
        const inputs = `SECRETS='${at("secrets")}' ADDRESS=10.0.0.11 AWAY='${away}' CA_NAME=${next.certificates.exchanged!.name}`;
        return shell.run(`${inputs}\n${whole}`);
    };
    const succeeds = (name: string, how = {}) => {
        const { status, stdout, stderr } = run(name, how);
        assert.equal(status, 0, `${name}: ${stderr}`);
        assert.ok(!existsSync(at("work")), "nothing stays");
        return stdout;
    };
    const refused = (name: string, how = {}) => {
        const before = readdirSync(at("pki")).map(file => file.endsWith(".crt") && read(`pki/${file}`));
        const { status, stderr } = run(name, how);
        assert.deepEqual(
            readdirSync(at("pki")).map(file => file.endsWith(".crt") && read(`pki/${file}`)),
            before,
        );
        return { status, stderr };
    };
    const place = async (former: KeySet, made: KeySet) => {
        for (const folder of ["pki", "pki/etcd", "kubelet", "secrets", "kubernetes", "kubernetes/manifests", "notes"])
            mkdirSync(at(folder), { recursive: true });
        const { exchanged } = made.certificates;
        const files = paths.flatMap(path => {
            const { certificate, key } = of(made, path);
            return [
                `${path}.crt ${inBase64(certificate)}`,
                `${path}.key ${inBase64(key)}`,
                `${path}.bridge ${inBase64(exchanged!.bridges[authorities[path]])}`,
            ];
        });
        write("secrets/authorities", `${files.join("\n")}\n`);
        write("secrets/kubelet", await newKubeletClient(of(made, "ca"), exchanged!.bridges.ca, "m1"));
        for (const path of paths) {
            write(`pki/${path}.crt`, of(former, path).certificate);
            write(`pki/${path}.key`, of(former, path).key);
        }
        const leaf = (path: Path) =>
            createClientCertificate(of(former, path), { commonName: "before", organization: "before", validDays: 5 });
        for (const [name, path] of Object.entries(leaves)) {
            const { certificate, key } = await leaf(path);
            write(`pki/${name}.crt`, certificate);
            write(`pki/${name}.key`, key);
        }
        for (const key of ["sa.key", "sa.pub"]) write(`pki/${key}`, key);
        const ca = inBase64(former.certificates.caCertificate);
        for (const name of users) {
            const { certificate, key } = await leaf("ca");
            write(
                `kubernetes/${name}.conf`,
                `    certificate-authority-data: ${ca}\n    client-certificate-data: ${inBase64(certificate)}\n    client-key-data: ${inBase64(key)}\n`,
            );
        }
        write("kubernetes/kubelet.conf", `    certificate-authority-data: ${ca}\n    client-certificate: file\n`);
        write("kubelet/kubelet-client-1.pem", await newKubeletClient(of(former, "ca"), "", "m1"));
        symlinkSync(at("kubelet/kubelet-client-1.pem"), at("kubelet/kubelet-client-current.pem"));
        write("authority", former.certificates.caCertificate);
        write("member", "core-1\n");
        write("cluster.yaml", "kind: ClusterConfiguration\n");
        const { stderr, status } = shell.run(
            `${world}\nfor pod in ${pods.join(" ")}; do content_of $pod > read-$pod; done\ncp kubernetes/kubelet.conf kubelet-read`,
        );
        assert.equal(status, 0, stderr);
    };

    /** Keys and certificates take a second, so all tests have the same ones: each begins with what is kept here. */
    const kept = () => `${shell.folder}-kept`;
    const keep = (what: string) =>
        cpSync(shell.folder, join(kept(), what), { recursive: true, verbatimSymlinks: true });
    const empty = () => {
        for (const name of readdirSync(shell.folder)) rmSync(at(name), { recursive: true });
    };
    const begin = (what: string) => {
        empty();
        cpSync(join(kept(), what), shell.folder, { recursive: true, verbatimSymlinks: true });
    };

    before(async () => {
        shell = shellIn("sh");
        first = await newKeySet();
        next = await withNewAuthorities(first, { validDays: 10, seal });
        await place(first, next);
        keep("placed");
        succeeds("issue-certificates");
        keep("issued");
    });
    beforeEach(() => begin("placed"));
    after(() => {
        rmSync(kept(), { recursive: true, force: true });
        shell.remove();
    });

    it("give certificates that both authorities take, then trust the new ones alone; each does nothing a second time", () => {
        const all = Object.entries(leaves).map(([name, path]) => [`pki/${name}.crt`, path] as const);
        const inUse = () => [
            ...all.map(([file, path]) => [file, read(file), path] as const),
            ...users.map(name => [name, dataIn(`kubernetes/${name}.conf`, "client-certificate-data"), "ca"] as const),
            ["kubelet", read("kubelet/kubelet-client-current.pem"), "ca"] as const,
        ];
        for (const _ of [1, 2]) {
            succeeds("issue-certificates");
            for (const [name, text, path] of inUse())
                for (const keys of [first, next])
                    assert.ok(
                        verified(of(keys, path).certificate, text),
                        `${name}, ${keys === first ? "former" : "new"}`,
                    );
            assert.ok(trusts(first));
            assert.deepEqual(lines("restarts"), [...pods, "kubelet"]);
        }
        assert.ok(read("pki/apiserver.crt").endsWith(read("notes/bridge")));
        const issued = inUse();
        for (const _ of [1, 2]) {
            succeeds("trust-authorities");
            assert.ok(trusts(next));
            for (const name of [...users, "kubelet"])
                assert.equal(
                    dataIn(`kubernetes/${name}.conf`, "certificate-authority-data"),
                    next.certificates.caCertificate,
                );
            assert.deepEqual(lines("restarts").slice(5), [...pods, "kubelet"]);
        }
        assert.deepEqual(inUse(), issued);
        assert.equal(read("rotated"), "core-1 authorities\n");
        assert.equal(read("authority"), next.certificates.caCertificate + first.certificates.caCertificate);
        for (const path of paths) assert.equal(statSync(at(`pki/${path}.key`)).mode & 0o777, 0o600);
        assert.equal(read("pki/ca.key"), next.keys.caKey);
        assert.match(succeeds("issue-certificates"), /trusts the new authorities already/);
    });

    for (const pod of pods)
        it(`go on where a run was stopped at the restart of ${pod}, in either part`, () => {
            for (const name of ["issue-certificates", "trust-authorities"]) {
                const from = lines("restarts").length;
                assert.equal(run(name, { extra: `STOPS_AT=${pod}` }).status, 9);
                succeeds(name);
                const seen = lines("restarts").slice(from);
                assert.deepEqual(seen, [
                    ...pods.slice(0, pods.indexOf(pod) + 1),
                    ...pods.slice(pods.indexOf(pod)),
                    "kubelet",
                ]);
            }
            assert.ok(trusts(next));
        });

    for (const name of ["issue-certificates", "trust-authorities"]) {
        const prepare = () => {
            if (name === "trust-authorities") begin("issued");
            write("sick", "10.0.0.13");
        };

        it(`change nothing by ${name} while a member of etcd is not healthy`, () => {
            prepare();
            const { status, stderr } = refused(name);
            assert.equal(status, exitCodes.QUORUM_AT_RISK);
            assert.match(stderr, /etcd is not healthy on all masters: a restart/);
            assert.ok(trusts(first));
        });

        for (const away of ["m3", "https://10.0.0.13:2380"])
            it(`go on by ${name} where the one that is not healthy is away, known as ${away}`, () => {
                prepare();
                succeeds(name, { away });
                assert.deepEqual(lines("asked").slice(-2), [
                    "member list",
                    "endpoint health --endpoints=https://10.0.0.11:2379,https://10.0.0.12:2379",
                ]);
            });

        it(`change nothing by ${name} while another member is away than the one that is not healthy`, () => {
            prepare();
            const { status, stderr } = refused(name, { away: "m2 https://10.0.0.12:2380" });
            assert.equal(status, exitCodes.QUORUM_AT_RISK);
            assert.match(stderr, /but those that are away \(m2 /);
        });
    }

    it("ask for etcd's health where a run was stopped before etcd has read the new authority", () => {
        begin("issued");
        assert.equal(run("trust-authorities", { extra: "STOPS_AT=etcd" }).status, 9);
        write("sick", "10.0.0.13");
        const from = lines("restarts").length;
        assert.equal(run("trust-authorities").status, exitCodes.QUORUM_AT_RISK);
        assert.equal(lines("restarts").length, from);
    });

    it("trust nothing before this machine's certificates are of the new authorities", () => {
        const { status, stderr } = refused("trust-authorities");
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /certificates of this machine are not of the new authorities yet/);
    });

    it("say that openssl is missing", () => {
        for (const name of ["issue-certificates", "trust-authorities"]) {
            const { status, stderr } = refused(name, { extra: "command() { return 1; }" });
            assert.equal(status, 1);
            assert.match(stderr, /openssl is missing on this machine/);
        }
    });

    it("say that an authority is another one", async () => {
        const other = await newKeySet();
        write("pki/etcd/ca.crt", other.certificates.etcdCaCertificate);
        const { status, stderr } = refused("issue-certificates");
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(
            stderr,
            /etcd\/ca.crt is neither the former authority nor the new one: somebody has exchanged it, or the state of the stack is from before a rotation/,
        );
    });

    it("say that the clock is before the begin of a bridge", () => {
        const extra = `openssl() {
            case "$1 $2" in "verify -CAfile") shift; command openssl verify -attime 1000000000 "$@" ;; *) command openssl "$@" ;; esac
        }`;
        const { status, stderr } = refused("issue-certificates", { extra });
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(
            stderr,
            /by the clock of this machine it is .*, when not both are valid: \S+ca.crt, from .* until .*, and its bridge .*, from .* Correct the clock/,
        );
        assert.doesNotMatch(stderr, /exchanged/);
    });

    it("say that an authority has ended", async () => {
        const ended = await newKeySet(-0.01);
        empty();
        await place(ended, await withNewAuthorities(ended, { validDays: 10, seal }));
        const { status, stderr } = refused("issue-certificates");
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /an authority that has ended cannot be rotated/);
        assert.doesNotMatch(stderr, /exchanged/);
    });
});
