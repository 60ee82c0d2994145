import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { containerdConfig, hostsToml, registryFolder } from "../../../../../provider/node/runtime/containerd-config";
import { sandboxImageOf } from "../../../../../provider/node/runtime/sandbox-image";
import { skipIf } from "../../../../support/skip";
import { hostSpec, nasty } from "../../sample-specs";

/** Uses the TOML parser that Python contains since 3.11. */
function parseToml(text: string) {
    const program = "import sys, tomllib, json; print(json.dumps(tomllib.loads(sys.stdin.read())))";
    const input = text.replace(/^version = @VERSION@$/m, 'version = "@VERSION@"');
    const { stdout, stderr, status, error } = spawnSync("python3", ["-c", program], { input, encoding: "utf8" });
    if (error || /No module named 'tomllib'/.test(stderr)) return undefined;
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

describe("containerd's configuration", () => {
    it("is TOML with systemd's cgroups, the sandbox image and room for drop-ins, for each release of containerd", function () {
        const [old, config] = [parseToml(containerdConfig(1)), parseToml(containerdConfig(2))];
        skipIf(this, !config && "no python3 with tomllib here");
        for (const { version, imports } of [old, config]) {
            assert.equal(version, "@VERSION@");
            assert.deepEqual(imports, ["/etc/containerd/conf.d/*.toml"]);
        }
        const cri = old.plugins["io.containerd.grpc.v1.cri"];
        const images = config.plugins["io.containerd.cri.v1.images"];
        const runtime = config.plugins["io.containerd.cri.v1.runtime"];
        assert.deepEqual([cri.sandbox_image, images.pinned_images.sandbox], ["@SANDBOX_IMAGE@", "@SANDBOX_IMAGE@"]);
        for (const { containerd } of [cri, runtime]) {
            assert.equal(containerd.default_runtime_name, "runc");
            assert.equal(containerd.runtimes.runc.options.SystemdCgroup, true);
        }
        for (const { registry } of [cri, images]) assert.equal(registry.config_path, "/etc/containerd/certs.d");
    });

    it("of a mirror names its endpoints in order, with CA and login", function () {
        const mirror = {
            registry: "*",
            endpoints: ["https://a:5000", "https://b"],
            ca: "PEM",
            username: "u",
            password: nasty,
        };
        const hosts = parseToml(hostsToml(mirror));
        skipIf(this, !hosts && "no python3 with tomllib here");
        assert.deepEqual(Object.keys(hosts.host), mirror.endpoints);
        const first = hosts.host["https://a:5000"];
        assert.equal(first.ca, "/etc/containerd/certs.d/_default/ca.crt");
        const [, login] = first.header.Authorization[0].split(" ");
        assert.equal(Buffer.from(login, "base64").toString(), `u:${nasty}`);
    });

    it("gives each registry the folder in which containerd looks", () => {
        assert.equal(registryFolder("registry.k8s.io"), "/etc/containerd/certs.d/registry.k8s.io");
        assert.equal(registryFolder("*"), "/etc/containerd/certs.d/_default");
        assert.equal(registryFolder("host:5000"), "/etc/containerd/certs.d/host_5000_");
    });
});

describe("sandbox image", () => {
    it("is what is said, else the bundle's, else what the machine's kubeadm names", () => {
        assert.equal(sandboxImageOf(hostSpec({ sandboxImage: "x/pause:1" })), "x/pause:1");
        assert.equal(sandboxImageOf(hostSpec()), "registry.k8s.io/pause:3.10.1");
        assert.equal(sandboxImageOf(hostSpec({ source: { image: {} } })), "");
    });
});
