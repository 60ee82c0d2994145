import assert from "node:assert/strict";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readlinkSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { appliedMarks } from "../../../../../provider/kubeadm/kubeadm-files";
import {
    endSoak,
    endUpgrade,
    moveControlPlane,
    moveKubelet,
    noteUpgrade,
} from "../../../../../provider/kubeadm/upgrade/acts";
import type { NodeSpec } from "../../../../../provider/model";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import type { Act } from "../../../../../provider/steps/types";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

const [from, to] = ["1.34.3", "1.34.4"];
const components = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];
const state = "var/lib/pulumi-nfv";
const programs = "usr/local/lib/pulumi-nfv/kubernetes";

/** Time passes by sleeping. kubelet's process is the program that its link named at its last start. kubeadm does what $KUBEADM says. */
const world = `
    sleep() { echo x >> "$ROOT/slept"; }
    date() { echo $(($(wc -l < "$ROOT/slept") * 10)); }
    sync() { :; }
    systemctl() {
        case "$*" in
            restart*) echo x >> "$ROOT/restarts"; [ ! -e "$ROOT/starts-not" ] || { rm "$ROOT/starts-not"; return 1; }; cp "$(readlink "$ROOT/usr/local/bin/kubelet" || echo "$ROOT/usr/bin/kubelet")" "$ROOT/proc/7/exe" ;;
            show*) echo MainPID=7 ;;
        esac
    }
    kubelet() { "$ROOT/proc/7/exe" --version; }
    journalctl() { echo "it said this"; }
    hostname() { echo m1; }
    curl() { [ ! -e "$ROOT/api-down" ]; }
`;

describe("what moves a node to another version", function () {
    this.timeout(60_000);
    let root: string;
    let spec: NodeSpec;
    const path = (name: string) => join(root, name);
    const write = (name: string, text: string, mode = 0o644) => {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), text);
        chmodSync(path(name), mode);
    };
    const read = (name: string) => readFileSync(path(name), "utf8");
    const manifest = (version: string) => `spec:\n    image: registry.k8s.io/it:v${version}\n`;

    beforeEach(async () => {
        root = mkdtempSync(join(tmpdir(), "nfv-upgrade-"));
        spec = {
            ...(await nodeSpec({ role: "controlPlane", name: "m1", address: "10.0.0.11" })),
            kubernetesVersion: to,
        };
        for (const version of [from, to]) {
            write(`${programs}/${version}/kubelet`, `#!/bin/sh\necho "Kubernetes v${version}"\n`, 0o755);
            const kubeadm = `#!/bin/sh\necho "$@" >> ${root}/kubeadm\n[ ! -e ${root}/breaks ] || exit 1\n`;
            const moves = components.map(
                name => `sed -i s/:v.*/:v${version}/ ${root}/etc/kubernetes/manifests/${name}.yaml\n`,
            );
            write(`${programs}/${version}/kubeadm`, kubeadm + moves.join(""), 0o755);
        }
        mkdirSync(path("usr/local/bin"), { recursive: true });
        symlinkSync(path(`${programs}/${from}/kubelet`), path("usr/local/bin/kubelet"));
        write("proc/7/exe", `#!/bin/sh\necho "Kubernetes v${from}"\n`, 0o755);
        for (const name of ["etcd", ...components]) write(`etc/kubernetes/manifests/${name}.yaml`, manifest(from));
        write("var/lib/kubelet/config.yaml", "former\n");
        write("var/lib/kubelet/kubeadm-flags.env", "former\n");
        write("slept", "");
        write("restarts", "");
        write("kubeadm", "");
        write(`${state}/applied/cluster`, `${appliedMarks({ ...spec, kubernetesVersion: from }).cluster}\n`);
        run(noteUpgrade(spec));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function run({ run: script, env }: Act, answers: Answers = []) {
        const inRoot = script!.replace(
            /\/(etc|var\/lib|usr\/bin|usr\/local\/bin|usr\/local\/lib|proc)\//g,
            `${root}/$1/`,
        );
        // PATH stays as it is
        return runWithKubectl(world + inRoot, { ...env, ROOT: root }, answers);
    }

    const node = (version: string) => ({ when: /get node m1/, stdout: `v${version} True` });

    it("notes where it comes from once, and where it goes to", () => {
        assert.equal(read(`${state}/upgrade/move`), `${from} ${to}\n`);
        write("proc/7/exe", `#!/bin/sh\necho "Kubernetes v${to}"\n`, 0o755);
        run(noteUpgrade(spec));
        assert.equal(read(`${state}/upgrade/move`), `${from} ${to}\n`, "a later attempt knows it still");
        run(noteUpgrade({ ...spec, kubernetesVersion: from }));
        assert.equal(read(`${state}/upgrade/move`), `${to} ${from}\n`);
    });

    it("ends what was noted of the former version, also where a stopped move goes on: no refresh takes it for what is to be there", () => {
        const notes = ["node", "left", "kubeadm-flags.env"].map(name => `${state}/observations/${name}`);
        for (const each of [...notes, `${state}/observations/host`]) write(each, "former\n");
        run(noteUpgrade(spec));
        assert.deepEqual(
            notes.filter(each => existsSync(path(each))),
            [],
        );
        assert.ok(existsSync(path(`${state}/observations/host`)));
    });

    it("is forgotten at its end, and what is to be watched then is noted until it was", () => {
        run(endUpgrade(spec, true));
        assert.ok(!existsSync(path(`${state}/upgrade`)));
        assert.equal(read(`${state}/soaks`), `${to}\n`);
        run(endSoak);
        assert.ok(!existsSync(path(`${state}/soaks`)));
        write(`${state}/soaks`, `${from}\n`);
        run(endUpgrade(spec));
        assert.ok(!existsSync(path(`${state}/soaks`)), "that of a former upgrade");
    });

    describe("kubelet", () => {
        it("is linked, restarted once, and proven by its node object", () => {
            const ran = run(moveKubelet(spec), [node(to)]);
            assert.equal(ran.code, 0, ran.stderr);
            assert.equal(readlinkSync(path("usr/local/bin/kubelet")), path(`${programs}/${to}/kubelet`));
            assert.equal(read("restarts"), "x\n");
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
            assert.equal(run(moveKubelet(spec), [node(to)]).code, 0);
            assert.equal(read("restarts"), "x\n", "a second time changes nothing");
        });

        it("that does not serve has its former version and settings again", () => {
            const ran = run(moveKubelet(spec), [node(from)]);
            assert.equal(ran.code, 1);
            assert.match(
                ran.stderr,
                /does not serve with v1\.34\.4[\s\S]*it said this[\s\S]*kubelet v1\.34\.3 is back/,
            );
            assert.equal(readlinkSync(path("usr/local/bin/kubelet")), path(`${programs}/${from}/kubelet`));
            assert.match(read("proc/7/exe"), /1\.34\.3/);
        });

        it("that does not even start has its former version again, too", () => {
            write("starts-not", "");
            const ran = run(moveKubelet(spec), [node(from)]);
            assert.match(ran.stderr, /kubelet v1\.34\.3 is back/);
            assert.match(read("proc/7/exe"), /1\.34\.3/);
        });

        it("has its settings from kubeadm first on a worker; on a control-plane node it has them already", () => {
            // as the move of the control plane leaves it
            write(`${state}/applied/kubelet-former/config`, "former\n");
            write(`${state}/applied/kubelet-former/flags`, "former\n");
            run(moveKubelet(spec), [node(to)]);
            assert.equal(read("kubeadm"), "");
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
            run(moveKubelet({ ...spec, role: "worker" }), [node(to)]);
            assert.match(read("kubeadm"), /^upgrade node --patches /);
        });

        it("that failed on a control-plane node has its settings from kubeadm again: the former ones are of a kubelet with other flags", () => {
            write(`${state}/applied/kubelet-former/config`, "former\n");
            write(`${state}/applied/kubelet-former/flags`, "former, with a flag that is gone\n");
            write("var/lib/kubelet/kubeadm-flags.env", "of the new version\n");
            assert.equal(run(moveKubelet(spec), [node(from)]).code, 1);
            assert.match(read("var/lib/kubelet/kubeadm-flags.env"), /a flag that is gone/);
            assert.equal(read("kubeadm"), "");
            assert.equal(run(moveKubelet(spec), [node(to)]).code, 0);
            assert.match(read("kubeadm"), /^upgrade node --skip-phases=control-plane --patches /);
        });

        it("passes kubeadm's check of cgroups where the program allows those of version 1", () => {
            const worker: NodeSpec = { ...spec, role: "worker" };
            run(moveKubelet(worker), [node(to)]);
            assert.match(read("kubeadm"), /--ignore-preflight-errors=$/m);
            const env = moveKubelet({
                ...worker,
                kubernetesVersion: "1.35.4",
                clusterKubelet: { failCgroupV1: false },
            }).env;
            run({ ...moveKubelet(worker), env: { ...moveKubelet(worker).env, IGNORED: env!["IGNORED"]! } }, [node(to)]);
            assert.match(read("kubeadm"), /--ignore-preflight-errors=SystemVerification$/m);
        });

        it("stays where the staged program is missing", () => {
            rmSync(path(`${programs}/${to}`), { recursive: true });
            const ran = run(moveKubelet(spec), [node(to)]);
            assert.equal(ran.code, exitCodes.VERSION_MISMATCH);
            assert.match(ran.stderr, /v1\.34\.4 is wanted[\s\S]*nothing was changed/);
            assert.equal(read("restarts"), "");
        });
    });

    describe("kubelet of packages", () => {
        const names = ["kubeadm", "kubectl", "kubelet"];
        const debs = names.map(name => `${name}_${to}-1.1_amd64.deb`);
        const folder = `${programs}/${to}`;
        /** apt installs a package by copying it; "dies" has the number of packages after which it and the script are killed. */
        const fakes = {
            "apt-get": `
                printf 'apt-get %s\\n' "$(printf '%s' "$*" | sed "s#$ROOT/##g; s#-o [^ ]* *##g")" >> "$ROOT/calls"
                [ "$SYSTEMD_OFFLINE" = 1 ] || exit 9
                case " $* " in *" -s "*) exit 0 ;; *" --no-remove "*) ;; *) exit 9 ;; esac
                left=$(cat "$ROOT/dies" 2>/dev/null || echo 9)
                for word; do
                    case $word in *.deb) ;; *) continue ;; esac
                    [ "$left" != 0 ] || { echo half > "$ROOT/audit"; kill -9 $PPID; exit; }
                    left=$((left - 1)) name=\${word##*/}
                    cp "$word" "$ROOT/usr/bin/\${name%%_*}"
                done`,
            "apt-mark": `printf 'apt-mark %s\\n' "$*" >> "$ROOT/calls"`,
            "dpkg-query": "printf installed",
            dpkg: `case "$*" in
                --audit) cat "$ROOT/audit" 2>/dev/null || true ;;
                *) echo "dpkg $*" >> "$ROOT/calls"; rm -f "$ROOT/audit" ;;
            esac`,
        };
        const move = (answers: Answers = [node(to)]) => {
            const { run: text, ...act } = moveKubelet(spec);
            return run({ ...act, run: `export ROOT PATH="$ROOT/bin:$PATH"\n${text}` }, answers);
        };
        const calls = () => read("calls").trim().split("\n");

        beforeEach(() => {
            rmSync(path(`${programs}/${from}`), { recursive: true });
            rmSync(path("usr/local/bin/kubelet"));
            for (const name of names) {
                write(`usr/bin/${name}`, `#!/bin/sh\necho "Kubernetes v${from}"\n`, 0o755);
                write(`${folder}/packages/${name}_${to}-1.1_amd64.deb`, `#!/bin/sh\necho "Kubernetes v${to}"\n`, 0o755);
            }
            write(`${folder}/former/kubelet`, `#!/bin/sh\necho "Kubernetes v${from}"\n`, 0o755);
            write(`${folder}/former/version`, `${from}\n`);
            for (const [name, text] of Object.entries(fakes)) write(`bin/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
            write("calls", "");
        });

        it("are installed from what is staged, without a repository, held again, and kubelet restarts once, by us", () => {
            const ran = move();
            assert.equal(ran.code, 0, ran.stderr);
            const [simulated, installed, ...rest] = calls();
            assert.match(simulated!, /^apt-get -s -q .*--allow-downgrades --allow-change-held-packages/);
            assert.ok(debs.every(each => installed!.includes(`${folder}/packages/${each}`)));
            assert.match(installed!, /^apt-get -y --no-remove /);
            assert.deepEqual(rest, ["apt-mark hold kubelet kubeadm kubectl"]);
            assert.match(
                moveKubelet(spec).run,
                /apt_install -o Dir::Etc::SourceList=\/dev\/null -o Dir::Etc::SourceParts=\/dev\/null /,
            );
            assert.match(read("proc/7/exe"), /1\.34\.4/);
            assert.equal(read("restarts"), "x\n");
            assert.ok(!existsSync(path("usr/local/bin/kubelet")), "no links beside packages");
            assert.equal(move().code, 0);
            assert.equal(read("restarts"), "x\n", "a second time restarts nothing");
        });

        it("go on where a run was killed in the middle of dpkg", () => {
            write("dies", "2\n");
            assert.notEqual(move().code, 0);
            assert.match(read("usr/bin/kubelet"), /1\.34\.3/);
            assert.match(read("usr/bin/kubeadm"), /1\.34\.4/);
            assert.equal(read("restarts"), "");
            rmSync(path("dies"));
            write("calls", "");
            const ran = move();
            assert.equal(ran.code, 0, ran.stderr);
            assert.match(calls()[0]!, /^dpkg --force-confdef --force-confold --configure -a$/);
            assert.match(read("proc/7/exe"), /1\.34\.4/);
        });

        it("that does not serve is the former one again, until the next attempt", () => {
            const ran = move([node(from)]);
            assert.equal(ran.code, 1);
            assert.match(ran.stderr, /kubelet v1\.34\.3 is back/);
            for (const name of ["usr/bin/kubelet", "proc/7/exe"]) assert.match(read(name), /1\.34\.3/);
            // Its package counts as installed, so apt leaves it.
            write("bin/apt-get", "#!/bin/sh\n:\n", 0o755);
            const again = move();
            assert.equal(again.code, 0, again.stderr);
            for (const name of ["usr/bin/kubelet", "proc/7/exe"]) assert.match(read(name), /1\.34\.4/);
        });

        it("go when it is at its end, in one step: what is left of a kill counts as no bundle", () => {
            run(endUpgrade(spec));
            assert.ok(!existsSync(path(folder)));
            assert.ok(!existsSync(path(`${folder}.done`)));
        });
    });

    describe("the control plane", () => {
        const cluster = (version: string) => ({
            when: /configmap kubeadm-config/,
            stdout: `kubernetesVersion: v${version}\n`,
        });
        const runs = (version: string) => ({ when: /get pod kube-/, stdout: `it:v${version} True` });
        const pods = { when: /get pods/, stdout: "pod/etcd-m1\n" };
        const move = () => moveControlPlane(spec, [from]);

        it("applies the version where the cluster does not have it, and follows it where it has", () => {
            assert.equal(run(move(), [cluster(from), runs(to), pods]).code, 0);
            assert.match(read("kubeadm"), /^upgrade apply v1\.34\.4 --yes --certificate-renewal=true --patches /);
            rmSync(path(`${state}/upgrade/control-plane`));
            rmSync(path(`${state}/upgrade/applies`));
            write("kubeadm", "");
            assert.equal(run(move(), [cluster(to), runs(to), pods]).code, 0);
            assert.match(read("kubeadm"), /^upgrade node --certificate-renewal=true --patches /);
        });

        it("renews no certificate that has a bridge: where the authorities are being rotated, other members of etcd would not take it", () => {
            write("etc/kubernetes/pki/etcd/peer.crt", "-----BEGIN CERTIFICATE-----\n".repeat(2));
            for (const at of [from, to]) {
                rmSync(path(`${state}/upgrade`), { recursive: true, force: true });
                mkdirSync(path(`${state}/upgrade`), { recursive: true });
                write("kubeadm", "");
                assert.equal(run(move(), [cluster(at), runs(to), pods]).code, 0);
                assert.match(read("kubeadm"), /--certificate-renewal=false /);
            }
        });

        it("counts the settings as applied if they are the same, and is not moved twice", () => {
            run(move(), [cluster(from), runs(to), pods]);
            assert.equal(read(`${state}/applied/cluster`).trim(), appliedMarks(spec).cluster);
            write("kubeadm", "");
            const again = run(move(), [cluster(to), runs(to), pods]);
            assert.equal(again.code, 0, again.stderr);
            assert.equal(read("kubeadm"), "");
        });

        it("keeps CoreDNS's replicas apart: kubeadm makes CoreDNS as for a new cluster", () => {
            const ours = '{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}';
            const before = { when: /get deployment coredns/, until: /get pod kube-/, stdout: ours };
            const after = { when: /get deployment coredns/, stdout: '{"podAntiAffinity":{}}' };
            const ran = run(move(), [before, after, cluster(from), runs(to), pods]);
            assert.equal(ran.code, 0, ran.stderr);
            const patches = ran.calls.filter(call => /patch deployment coredns/.test(call));
            assert.equal(patches.length, 1);
            assert.ok(patches[0]!.includes(`{"spec":{"template":{"spec":{"affinity":${ours}}}}}`), patches[0]);
            const again = run(move(), [after, cluster(to), runs(to), pods]);
            assert.match(
                again.calls.join("\n"),
                /patch deployment coredns/,
                "also where a run was killed between both",
            );
            const same = run(move(), [{ ...before, until: /never/ }, cluster(to), runs(to), pods]);
            assert.doesNotMatch(same.calls.join("\n"), /patch deployment coredns/);
        });

        it("leaves other settings to their step", () => {
            write(`${state}/applied/cluster`, "other\n");
            run(move(), [cluster(from), runs(to), pods]);
            assert.equal(read(`${state}/applied/cluster`), "other\n");
        });

        it("is not touched where a member of etcd is sick", () => {
            const ran = run(move(), [{ when: /endpoint health --cluster/, code: 1 }, cluster(from), pods]);
            assert.equal(ran.code, exitCodes.QUORUM_AT_RISK);
            assert.match(ran.stderr, /nothing was changed/);
            assert.equal(read("kubeadm"), "");
        });

        it("says that kubeadm failed, and keeps no former files that a later change would take for its own", () => {
            write("breaks", "");
            const ran = run(move(), [cluster(from), runs(from), pods]);
            assert.equal(ran.code, 1);
            assert.match(ran.stderr, /kubeadm ended with 1/);
            assert.ok(!existsSync(path(`${state}/applied/former-manifests`)));
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
        });

        it("gets back a manifest that kubeadm had moved away when it was killed, before anything else", () => {
            write(`${state}/applied/former-manifests/kube-scheduler.yaml`, manifest(from));
            rmSync(path("etc/kubernetes/manifests/kube-scheduler.yaml"));
            const ran = run(move(), [cluster(from), runs(to), pods]);
            assert.equal(ran.code, 0, ran.stderr);
            assert.equal(read("etc/kubernetes/manifests/kube-scheduler.yaml"), manifest(to));
        });
    });
});
