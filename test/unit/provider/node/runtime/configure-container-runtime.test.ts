import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostSpec } from "../../../../../provider/common/model";
import { configureContainerRuntime } from "../../../../../provider/node/runtime/configure-container-runtime";
import { hostSpec } from "../../sample-specs";

/** A machine with containerd, which writes its settings in version $SPEAKS, and kubeadm, which wants $WANTS. */
const world = `
    containerd() { printf 'disabled_plugins = []\\nversion = %s\\n' "$SPEAKS"; }
    kubeadm() {
        [ "$*" = "config images list --kubernetes-version v1.37.2" ] || return 1
        printf 'registry.k8s.io/coredns/coredns:v1.14.6\\n'
        [ -z "$WANTS" ] || printf '%s\\n' "$WANTS"
    }
    systemctl() { echo "systemctl $*"; }
    timeout() { shift; "$@"; }
    ctr() {
        case $* in
            version) [ ! -e "$ROOT/stopped" ] || { rm "$ROOT/stopped"; return 1; } ;;
            *"images list"*) echo "$WANTS" ;;
            *) echo "$*" > "$ROOT/labelled" ;;
        esac
    }
`;

describe("containerd's configuration on a machine", () => {
    let root: string;
    const at = (path: string) => join(root, path);
    const config = () => readFileSync(at("etc/containerd/config.toml"), "utf8");
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-runtime-config-"));
        mkdirSync(at("var/lib/pulumi-nfv"), { recursive: true });
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function run(env: Record<string, string> = {}, spec: Partial<HostSpec> = {}) {
        const { env: inputs, run: text } = configureContainerRuntime(
            hostSpec({ source: { image: {} }, kubernetesVersion: "1.37.2", ...spec }),
        )!;
        const script = `${world}\n${text}`.replace(/(?<![\w.}"])\/(etc|opt|usr\/local\/lib|var\/lib)\b/g, `${root}/$1`);
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
            input: script,
            encoding: "utf8",
            env: {
                ...{ PATH: process.env["PATH"], ROOT: root, SPEAKS: "2", WANTS: "registry.k8s.io/pause:3.10.2" },
                ...inputs,
                ...env,
            },
        });
        return { status, stderr, said: stdout.split("\n") };
    }
    const restart = "systemctl restart containerd.service";

    it("has the sandbox image that the machine's kubeadm wants, and pins it", () => {
        const { status, said, stderr } = run();
        assert.deepEqual([status, stderr], [0, ""]);
        assert.match(
            config(),
            /^version = 2$[\s\S]*\[plugins\."io\.containerd\.grpc\.v1\.cri"\]\nsandbox_image = "registry\.k8s\.io\/pause:3\.10\.2"$/m,
        );
        assert.ok(said.includes(restart));
        const labelled = "-n k8s.io images label registry.k8s.io/pause:3.10.2 io.cri-containerd.pinned=pinned\n";
        assert.equal(readFileSync(at("labelled"), "utf8"), labelled);
    });

    it("asks kubeadm with the repository of the program; without one the step has no other inputs than before", () => {
        const imageRepository = "registry.site:5000/k8s";
        const staged = at("usr/local/lib/pulumi-nfv/kubernetes/1.37.2");
        mkdirSync(staged, { recursive: true });
        writeFileSync(join(staged, "kubeadm"), '#!/bin/sh\necho "$7/pause:3.10.2"\n', { mode: 0o755 });
        assert.equal(run({}, { imageRepository }).status, 0);
        assert.match(config(), /sandbox_image = "registry\.site:5000\/k8s\/pause:3\.10\.2"/);
        const imageIn = (spec: Partial<HostSpec>) => configureContainerRuntime(hostSpec(spec))!.env!["SANDBOX_IMAGE"];
        assert.equal(imageIn({ source: { image: {} } }), "");
        assert.equal(imageIn({ sandboxImage: "mirror/pause:9", imageRepository }), "mirror/pause:9");
    });

    it("asks the staged kubeadm of the version before another that is installed", () => {
        const folder = at("usr/local/lib/pulumi-nfv/kubernetes/1.37.2");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "kubeadm"), "#!/bin/sh\necho staged.site/pause:9\n", { mode: 0o755 });
        assert.equal(run().status, 0);
        assert.match(config(), /sandbox_image = "staged\.site\/pause:9"/);
    });

    it("has the image of the program, whatever kubeadm wants", () => {
        assert.equal(run({}, { sandboxImage: "mirror/pause:9@sha256:ab" }).status, 0);
        assert.match(config(), /sandbox_image = "mirror\/pause:9@sha256:ab"/);
    });

    it("is in the version that containerd speaks; a later one migrates the newest that is known", () => {
        for (const [speaks, version] of [
            ["3", "3"],
            ["4", "4"],
            ["5", "4"],
        ] as const) {
            assert.equal(run({ SPEAKS: speaks }).status, 0);
            assert.match(config(), new RegExp(`^version = ${version}$`, "m"));
            assert.match(
                config(),
                /"io\.containerd\.cri\.v1\.images"\.pinned_images\]\nsandbox = "registry\.k8s\.io\/pause/,
            );
            assert.doesNotMatch(config(), /grpc\.v1\.cri|@/);
        }
    });

    it("is not read again where nothing has changed and containerd answers", () => {
        run();
        assert.ok(!run().said.includes(restart));
        writeFileSync(at("stopped"), "");
        assert.ok(run().said.includes(restart), "stopped by hand");
        writeFileSync(at("etc/containerd/config.toml"), "# by hand\n");
        assert.ok(run().said.includes(restart), "changed by hand");
        rmSync(at("var/lib/pulumi-nfv/config.toml"));
        assert.ok(run().said.includes(restart), "killed before containerd had read it");
    });

    it("is not written where kubeadm or containerd does not say what it needs", () => {
        const image = run({ WANTS: "" });
        assert.deepEqual([image.status, existsSync(at("etc/containerd"))], [1, false]);
        assert.match(image.stderr, /names no sandbox image .*kubernetes\.sandboxImage can name one/);
        const version = run({ SPEAKS: "" });
        assert.deepEqual([version.status, existsSync(at("etc/containerd"))], [1, false]);
        assert.match(version.stderr, /containerd does not say the version/);
    });
});
