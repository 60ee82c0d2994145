import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";

const sayWhy = kubeadmScript("member/lib/say-why.sh");

/** What is said where journalctl prints these lines, the newest first; `listens`: kubelet does. */
function said(journal: string[], listens = true): string[] {
    const world = `
        journalctl() { case $* in *containerd.service*) printf '%s' "$JOURNAL" ;; *) echo "kubelet's last words" ;; esac; }
        ss() { printf '%s' "$LISTENS"; }
    `;
    const { stderr, stdout, status } = spawnSync("sh", ["-eu"], {
        input: `${world}\n${sayWhy}\nsay_why`,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], JOURNAL: `${journal.join("\n")}\n`, LISTENS: listens ? "LISTEN" : "" },
    });
    assert.deepEqual([status, stdout], [0, ""]);
    return stderr.split("\n").filter(line => line !== "");
}

const pull = String.raw`failed to get sandbox image \"registry.k8s.io/pause:3.10.1\": failed to pull image \"registry.k8s.io/pause:3.10.1\": dial tcp: lookup registry.k8s.io: no such host`;
const clean = pull.replaceAll("\\", "");
const kubelet = (at: string, place: string, text: string) => `E1128 10:11:${at}.123456    1234 ${place}] ${text}`;
/** As kubelet and containerd report one error of one pod. */
const failedPod = (pod: string, at: string) => [
    kubelet(
        at,
        "pod_workers.go:1324",
        String.raw`"Error syncing pod, skipping" err="failed to \"CreatePodSandbox\" for \"${pod}_kube-system(0d0c1b2a3f4e5d6c7b8a9f0e1d2c3b4a)\" with CreatePodSandboxError: \"Failed to create sandbox for pod \\\"${pod}_kube-system(0d0c1b2a3f4e5d6c7b8a9f0e1d2c3b4a)\\\": rpc error: code = Unknown desc = ${pull.replaceAll("\\", "\\\\\\")}\"" pod="kube-system/${pod}" podUID="0d0c1b2a3f4e5d6c7b8a9f0e1d2c3b4a"`,
    ),
    kubelet(
        at,
        "kuberuntime_manager.go:1170",
        `"CreatePodSandbox for pod failed" err="rpc error: code = Unknown desc = ${pull}" pod="kube-system/${pod}"`,
    ),
    kubelet(
        at,
        "log.go:32",
        `"RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = ${pull}"`,
    ),
    `time="2026-11-28T10:11:${at}.12Z" level=error msg="RunPodSandbox for &PodSandboxMetadata{Name:${pod},Uid:0d0c,Namespace:kube-system,Attempt:0,} failed, error" error="${pull}"`,
];

describe("why nothing starts on a machine", () => {
    it("is one line for an error that kubelet and containerd repeat for each pod", () => {
        const journal = [
            ...failedPod("etcd-m1", "12"),
            ...failedPod("kube-apiserver-m1", "11"),
            "I1128 a note",
            "Started kubelet.",
        ];
        assert.deepEqual(said(journal), ["what kubelet and containerd say here, newest first:", clean]);
    });

    it("is the newest first, with the pods that end again and again, however long kubelet waits", () => {
        const back = (wait: string, at: string) =>
            kubelet(
                at,
                "pod_workers.go:1324",
                String.raw`"Error syncing pod, skipping" err="failed to \"StartContainer\" for \"etcd\" with CrashLoopBackOff: \"back-off ${wait} restarting failed container=etcd pod=etcd-m1_kube-system(0d0c1b2a3f4e5d6c7b8a9f0e1d2c3b4a)\"" pod="kube-system/etcd-m1"`,
            );
        assert.deepEqual(said([back("40s", "50"), back("20s", "30"), ...failedPod("etcd-m1", "12")]).slice(1), [
            'failed to "StartContainer" for "etcd" with CrashLoopBackOff: "back-off restarting failed container=etcd pod=etcd-m1_kube-system(...)',
            clean,
        ]);
    });

    it("is not what only follows from it: requests to the API that is awaited, a node that it does not know", () => {
        const refused = String.raw`"Unable to register node with API server" err="Post \"https://10.0.0.11:6443/api/v1/nodes\": dial tcp 10.0.0.11:6443: connect: connection refused" node="m1"`;
        const unknown = String.raw`"Eviction manager: failed to get summary stats" err="failed to get node info: node \"m1\" not found"`;
        const before = `"command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: open /var/lib/kubelet/config.yaml: no such file or directory"`;
        const lines = [refused, unknown, before].map(text => kubelet("12", "some.go:1", text));
        assert.deepEqual(said(lines), []);
        assert.deepEqual(said([...lines, ...failedPod("etcd-m1", "12")]).slice(1), [clean]);
    });

    it("has begin and end of a long one, because the cause comes last; a registry's address is no request to the API", () => {
        const address = "https://art.site/artifactory/api/docker/k8s/v2/pause/manifests/3.10.1";
        const text = `failed to get sandbox image: ${`failed to pull and unpack image ${address}: `.repeat(5)}Head "${address}": dial tcp: lookup art.site: no such host`;
        const [line] = said([
            kubelet("12", "log.go:32", `"RunPodSandbox failed" err="${text.replaceAll('"', '\\"')}"`),
        ]).slice(1);
        assert.match(line!, /^failed to get sandbox image: .* \.\.\. .*lookup art\.site: no such host$/);
        assert.ok(line!.length <= 300);
    });

    it("is what containerd's own program says", () => {
        const text = "containerd: failed to load TOML: /etc/containerd/config.toml: bad value";
        assert.deepEqual(said([text]).slice(1), [text]);
    });

    it("is kubelet's own error where it refuses its settings", () => {
        const flag = `"command failed" err="failed to parse kubelet flag: unknown flag: --bad"`;
        assert.deepEqual(said([kubelet("12", "run.go:72", flag)], false).slice(1), [
            "failed to parse kubelet flag: unknown flag: --bad",
        ]);
        assert.deepEqual(said(["Error: unknown flag: --bad"], false).slice(1), ["Error: unknown flag: --bad"]);
    });

    it("is kubelet's last words where it does not listen and there is no error; else nothing", () => {
        assert.deepEqual(said(["Started kubelet."], false), [
            "kubelet does not answer on this machine. Its last words:",
            "kubelet's last words",
        ]);
        assert.deepEqual(said(["Started kubelet."]), []);
    });

    it("is short: six lines of at most 300 characters", () => {
        const lines = said(
            Array.from({ length: 9 }, (_, i) =>
                kubelet("12", "x.go:1", `"it failed" err="reason ${i} ${"x".repeat(500)}"`),
            ),
        );
        assert.equal(lines.length, 7);
        for (const line of lines) assert.ok(line.length <= 300);
        assert.match(lines[1]!, /^reason 0 x/);
    });
});
