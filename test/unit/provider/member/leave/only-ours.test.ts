import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { kubeadmScript } from "../../../../../provider/kubeadm/kubeadm-script";
import { ownKubernetesFiles } from "../../../../../provider/kubeadm/kubernetes-files";
import { resetNodeScript } from "../../../../../provider/member/leave/leave-scripts";
import { exitCodes } from "../../../../../provider/shell/exit-codes";

const unmountPods = kubeadmScript("member/leave/lib/unmount-pods.sh");
const emptyFolder = kubeadmScript("member/leave/lib/empty-folder.sh");
const removeCniConfiguration = kubeadmScript("member/leave/lib/remove-cni-configuration.sh");
const removeIpvsServices = kubeadmScript("member/leave/lib/remove-ipvs-services.sh");

describe("a reset takes away only what is ours", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-ours-"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const put = (file: string, content: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), content);
    };
    const run = (script: string) => {
        const input = script.replace(/\/(etc\/cni|var\/lib\/pulumi-nfv|proc)\//g, `${root}/$1/`);
        const { stdout, stderr, status } = spawnSync("sh", ["-eu"], { input, encoding: "utf8" });
        assert.deepEqual([stderr, status], ["", 0]);
        return stdout.split("\n").filter(line => line !== "");
    };

    it("of mounts: those of pods and plugins, and none that is busy unless it is in memory", () => {
        const mounts = [
            "/dev/sdb1 /var/lib/kubelet ext4",
            "/dev/sdc1 /var/lib/kubelet/backup ext4",
            "tmpfs /var/lib/kubelet/pods/a/volumes/kubernetes.io~projected/token tmpfs",
            "/dev/sdd1 /var/lib/kubelet/pods/a/volumes/kubernetes.io~csi/data/mount ext4",
            "/dev/sde1 /var/lib/kubelet/plugins/csi/globalmount ext4",
            "overlay /run/containerd/x overlay",
        ];
        put("proc/mounts", mounts.map(line => `${line} rw 0 0\n`).join(""));
        const umount = `
            umount() {
                echo "umount $*"
                case "$*" in -l*|*globalmount) return 0 ;; esac
                return 1
            }
        `;
        // an NFS server that is gone would hold an unmount for ever
        const timeout = 'timeout() { [ "$1 $2 $3" = "-s KILL 30" ] || return 1; shift 3; "$@"; }\n';
        assert.deepEqual(run(`${timeout}${umount}${unmountPods}unmount_pods\n`), [
            "umount /var/lib/kubelet/pods/a/volumes/kubernetes.io~projected/token",
            "umount -l /var/lib/kubelet/pods/a/volumes/kubernetes.io~projected/token",
            "umount /var/lib/kubelet/pods/a/volumes/kubernetes.io~csi/data/mount",
            "stays: /var/lib/kubelet/pods/a/volumes/kubernetes.io~csi/data/mount is busy",
            "umount /var/lib/kubelet/plugins/csi/globalmount",
        ]);
    });

    it("of kubelet's folder: nothing that is still mounted there, also from the same file system", () => {
        const pods = "var/lib/kubelet/pods";
        const [local, spaced] = [`${pods}/a/volumes/kubernetes.io~local-volume/data`, `${pods}/b/my volume[1]`];
        for (const file of [`${local}/precious`, `${local}/sub/precious`, `${spaced}/precious`]) put(file, "x");
        for (const file of [`${pods}/a/etc-hosts`, `${pods}/c/volumes/empty/x`, "var/lib/kubelet/config.yaml"])
            put(file, "x");
        const mounts = [local, spaced].map(
            each => `/dev/sda1 ${join(root, each).replace(/ /g, "\\040")} ext4 rw 0 0\n`,
        );
        put("proc/mounts", mounts.join(""));
        run(`${emptyFolder}empty_folder ${root}/var/lib/kubelet\n`);
        for (const file of [`${local}/precious`, `${local}/sub/precious`, `${spaced}/precious`]) {
            assert.ok(existsSync(join(root, file)), file);
        }
        assert.deepEqual(readdirSync(join(root, "var/lib/kubelet")), ["pods"]);
        assert.deepEqual(readdirSync(join(root, pods)).sort(), ["a", "b"]);
        assert.deepEqual(readdirSync(join(root, pods, "a")), ["volumes"]);
    });

    describe("of etcd's folder", () => {
        const own = "var/lib/etcd/default/member/snap/db";
        const ours = "var/lib/etcd/member/snap/db";
        /** A reset on a machine whose folders are in one folder; kubeadm removes what the real one removes. */
        const reset = (more = ":") => {
            const stubs = `
                systemctl() { :; }
                ip() { :; }
                nft() { :; }
                command() { case $2 in kubeadm|nft) ;; *) return 1 ;; esac; }
                kubeadm() { rm -rf ${root}/etc/kubernetes/manifests ${root}/etc/kubernetes/pki; ${more}; }
            `;
            put("proc/mounts", "");
            mkdirSync(join(root, "var/lib/pulumi-nfv"), { recursive: true });
            const script = resetNodeScript.replace(/^PATH=.*$/m, "").replace(/\/(etc|var|proc)\//g, `${root}/$1/`);
            return spawnSync("sh", ["-eu"], { input: stubs + script, encoding: "utf8" });
        };
        const there = (file: string) => existsSync(join(root, file));

        it("nothing where kubeadm made no etcd: the data are of a user's own one", () => {
            put(own, "x");
            put("etc/kubernetes/pki/etcd/ca.crt", "placed before a join that its preflight refused");
            assert.deepEqual([reset().stderr, there(own)], ["", true]);
        });

        it("all of a master's, also where a run was killed behind kubeadm", () => {
            for (const sign of ["etc/kubernetes/manifests/etcd.yaml", "etc/kubernetes/pki/etcd/server.crt"]) {
                put(ours, "x");
                put(sign, "x");
                assert.equal(reset("exit 9").status, 9);
                assert.deepEqual([there(sign), there(ours)], [false, true]);
                assert.deepEqual([reset().stderr, there(ours)], ["", false]);
                put(own, "x");
                assert.deepEqual([reset().stderr, there(own)], ["", true], "the note went with the reset");
                rmSync(join(root, "var/lib/etcd"), { recursive: true });
            }
        });
    });

    describe("of /etc/kubernetes", () => {
        const kubernetes = "etc/kubernetes";
        const there = (file: string) => existsSync(join(root, kubernetes, file));
        /** kubeadm empties its folders, whoever made the contents. */
        const reset = (script = resetNodeScript, more = ":", env = {}) => {
            const stubs = `
                systemctl() { :; }
                ip() { :; }
                nft() { :; }
                command() { case $2 in kubeadm|nft) ;; *) return 1 ;; esac; }
                kubeadm() { rm -rf ${root}/etc/kubernetes/manifests/* ${root}/etc/kubernetes/pki/*; ${more}; }
            `;
            put("proc/mounts", "");
            mkdirSync(join(root, "var/lib/pulumi-nfv"), { recursive: true });
            const input = stubs + script.replace(/^PATH=.*$/m, "").replace(/\/(etc|var|proc)\//g, `${root}/$1/`);
            const { stdout, stderr, status } = spawnSync("sh", ["-eu"], {
                ...{ input, encoding: "utf8" },
                env: { ...process.env, ...env },
            });
            return { stdout, stderr, status };
        };
        const theirs = ["cloud-config", "admin.conf.of-mine", "pki/oidc.crt", "pki/site/my ca.crt", "tmp/notes"];
        const ours = [
            ...ownKubernetesFiles,
            "pulumi-nfv/cluster.yaml",
            "pulumi-nfv/kube-apiserver/encryption.yaml",
            "tmp/kubeadm-backup-etcd-1/etcd.db",
            // not written completely
            "admin.conf.new",
            "pki/.nfv-ca.key.new",
            "pki/etcd/.ca.key.0123456789abcdef.part",
            // copies of the cluster's keys
            "pki.bak/ca.key",
            "pki/my-sa.key",
        ];
        const fill = (files: readonly string[]) => {
            for (const file of files) {
                const content = /ca\.key$/.test(file) ? "authority" : /sa\.key$/.test(file) ? "accounts" : file;
                put(`${kubernetes}/${file}`, content);
            }
        };
        const cleaned = () => {
            for (const file of theirs) assert.equal(readFileSync(join(root, kubernetes, file), "utf8"), file);
            for (const file of ours) assert.ok(!there(file), file);
            assert.deepEqual(readdirSync(join(root, kubernetes, "pki")).sort(), ["oidc.crt", "site"]);
            assert.ok(!there("pki.others") && !there("pki.others.new"));
        };

        it("what kubeadm and we write there, and every copy of the cluster's keys", () => {
            fill([...theirs, ...ours]);
            chmodSync(join(root, kubernetes, "pki/site"), 0o700);
            assert.deepEqual([reset().stderr, reset().stderr], ["", ""]);
            cleaned();
            assert.equal(statSync(join(root, kubernetes, "pki/site")).mode & 0o777, 0o700);
        });

        it("also where a run was killed behind kubeadm", () => {
            fill([...theirs, ...ours]);
            assert.equal(reset(resetNodeScript, "exit 9").status, 9);
            assert.equal(reset().stderr, "");
            cleaned();
        });

        it("with the notes that the node's steps are done, before anything else goes; those of its host stay", () => {
            const journal = "var/lib/pulumi-nfv/journal";
            for (const step of ["node.keys", "node.labels", "cluster.join", "host.files"])
                put(`${journal}/${step}`, "0123456789ab @1 2");
            put("var/lib/pulumi-nfv/kept-for-join/pki/ca.key", "authority");
            assert.equal(reset(resetNodeScript, "exit 9").status, 9);
            assert.deepEqual(readdirSync(join(root, journal)).sort(), ["host.files", "node.keys"]);
            assert.match(readFileSync(join(root, journal, "node.keys"), "utf8"), /^unfinished @\d+ 0\n$/);
            assert.match(readFileSync(join(root, journal, "host.files"), "utf8"), /^0123456789ab/);
            assert.equal(reset().status, 0);
            assert.ok(!existsSync(join(root, "var/lib/pulumi-nfv/kept-for-join")));
        });

        it("nothing of a machine that another run has joined since this run looked", () => {
            put("var/lib/pulumi-nfv/member", "core-1234");
            put(`${kubernetes}/kubelet.conf`, "theirs");
            const { status, stderr } = reset(resetNodeScript, ":", { MEMBER_SINCE: "7.2026-01-01_00:00:00" });
            assert.equal(status, exitCodes.NODE_BUSY);
            assert.match(stderr, /another run has joined it meanwhile/);
            assert.ok(there("kubelet.conf"));
            const member = join(root, "var/lib/pulumi-nfv/member");
            const stamp = spawnSync("stat", ["-c", "%i.%.9Y", member], { encoding: "utf8" }).stdout.trim();
            assert.equal(reset(resetNodeScript, ":", { MEMBER_SINCE: stamp, TZ: "Asia/Tokyo" }).status, 0);
            assert.ok(!there("kubelet.conf"));
        });

        it("and the folder itself where nothing else is in it", () => {
            fill(ours.filter(file => !file.startsWith("pki.bak")));
            assert.equal(reset().stderr, "");
            assert.ok(!existsSync(join(root, kubernetes)));
        });

        it("a static pod that kubeadm did not make is kept where it is in nobody's way, and named", () => {
            for (const content of ["first", "second"]) {
                put(`${kubernetes}/manifests/agent.yaml`, content);
                put(`${kubernetes}/manifests/etcd.yaml`, "ours");
                const { stdout, stderr } = reset();
                assert.deepEqual(
                    [stderr, stdout.replaceAll(root, "").trim().split(":").slice(0, 2)],
                    ["", ["stays", " /etc/kubernetes/manifests.others/agent.yaml"]],
                );
                assert.ok(!there("manifests"));
            }
            const kept = readdirSync(join(root, kubernetes, "manifests.others")).sort();
            assert.deepEqual(kept, ["agent.yaml", "agent.yaml.~1~"]);
        });
    });

    it("of CNI's configurations: those that came with the cluster, whose plugins are noted", () => {
        const files = {
            "10-podnet.conflist":
                '{ "name": "podnet", "plugins": [{ "type": "bridge", "ipam": {"type":"host-local"} }, {"type" : "portmap"}] }',
            "calico-kubeconfig": "{}",
            "10-site.conflist": '{ "plugins": [{ "type": "site" }] }',
            "87-podman.conflist": "{}",
            "nerdctl-bridge.conflist": "{}",
            // `podman network create shop` after the join, and one without labels of an old podman
            "shop.conflist":
                '{ "name": "shop", "args": { "podman_labels": {} }, "plugins": [{ "type": "bridge", "bridge": "br7" }] }',
            "stock.conflist": '{ "name": "stock", "plugins": [{ "type": "bridge", "bridge": "cni-podman1" }] }',
            "web.conflist": '{ "name": "web", "nerdctlID": "1", "nerdctlLabels": {} }',
        };
        for (const [file, content] of Object.entries(files)) put(`etc/cni/net.d/${file}`, content);
        put("var/lib/pulumi-nfv/original/.cni", "10-site.conflist\n");
        run(`${removeCniConfiguration}remove_cni_configuration\n`);
        const left = readdirSync(join(root, "etc/cni/net.d")).sort();
        assert.deepEqual(
            left,
            Object.keys(files)
                .filter(file => !/podnet|calico/.test(file))
                .sort(),
        );
        const noted = readFileSync(join(root, "var/lib/pulumi-nfv/cluster-plugins"), "utf8");
        assert.deepEqual(noted, "bridge\nhost-local\nportmap\n");
    });

    const saved = [
        "-A -t 10.96.0.1:443 -s rr",
        "-a -t 10.96.0.1:443 -r 10.0.0.11:6443 -m -w 1",
        "-A -u [fd00::a]:53 -s rr",
        "-A -t 10.0.0.11:30080 -s rr",
        "-A -t 192.0.2.7:80 -s wlc",
    ];
    const tools = (link: string) => `
        ip() { ${link}; }
        ipvsadm() {
            if [ "$1" = --save ]; then printf '%s\\n' ${saved.map(line => `'${line}'`).join(" ")}; else echo "ipvsadm $*"; fi
        }
    `;

    it("of IPVS: kube-proxy's virtual servers, not those of another load balancer", () => {
        const link =
            "printf '9: kube-ipvs0    inet 10.96.0.1/32 scope global\\n9: kube-ipvs0    inet6 fd00::a/128 scope global\\n'";
        assert.deepEqual(run(`${tools(link)}${removeIpvsServices}remove_ipvs_services\n`), [
            "ipvsadm --delete-service -t 10.96.0.1:443",
            "ipvsadm --delete-service -u [fd00::a]:53",
            "ipvsadm --delete-service -t 10.0.0.11:30080",
        ]);
    });

    it("of IPVS: nothing where kube-proxy was never in this mode", () => {
        assert.deepEqual(run(`${tools("return 1")}${removeIpvsServices}remove_ipvs_services\n`), []);
    });
});
