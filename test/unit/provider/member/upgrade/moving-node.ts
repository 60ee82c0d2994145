import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NodeSpec } from "../../../../../provider/common/model";
import { appliedMarks } from "../../../../../provider/member/join/kubeadm-files";
import { noteUpgrade } from "../../../../../provider/member/upgrade/acts";
import type { Act } from "../../../../../provider/steps/types";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

export const [from, to] = ["1.34.3", "1.34.4"];
const components = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];
export const state = "var/lib/pulumi-nfv";
export const programs = "usr/local/lib/pulumi-nfv/kubernetes";

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

/** A control-plane node m1 in a folder, new for each test of the suite: programs of both versions are staged, and a move is noted. */
export function movingNode() {
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

    return { spec: () => spec, path, write, read, manifest, run, node };
}
