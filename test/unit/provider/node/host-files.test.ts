import assert from "node:assert/strict";
import { noProxy, proxyFiles } from "../../../../provider/node/configure-proxy";
import { aptFiles, dnfFiles, repositoryUrl } from "../../../../provider/node/kubernetes-packages";
import { bundleFiles as filesOf } from "../../../../provider/node/stage-kubernetes";
import { hostsLines } from "../../../../provider/node/write-hosts-file";
import { hostSpec, hostSpecs } from "../sample-specs";

describe("HTTP proxy", () => {
    const spec = hostSpecs["a master with everything"];

    it("is never used for the node, pods, services and the endpoint", () => {
        const excluded = noProxy(spec);
        for (const own of [
            "127.0.0.1",
            "10.0.0.11",
            "10.0.0.12",
            "10.0.0.13",
            "10.0.0.100",
            "10.244.0.0/16",
            "10.96.0.0/12",
            ".svc",
            ".cluster.local",
            "intra.net",
        ]) {
            assert.ok(excluded.includes(own), own);
        }
    });

    it("is never used for an endpoint that only the nodes know by name", () => {
        const excluded = noProxy({ ...spec, endpoint: hostSpecs["a single master"].endpoint });
        assert.ok(
            ["core.x", "10.0.0.11"].every(own => excluded.includes(own)),
            excluded.join(),
        );
    });

    it("is known to containerd, kubelet and apt, with what it is not used for", () => {
        const files = proxyFiles(spec);
        assert.deepEqual(
            files.map(({ path }) => path),
            [
                "/etc/systemd/system/containerd.service.d/http-proxy.conf",
                "/etc/systemd/system/kubelet.service.d/http-proxy.conf",
                "/etc/apt/apt.conf.d/95pulumi-nfv-proxy",
            ],
        );
        const line = `Environment="NO_PROXY=${noProxy(spec).join(",")}"\n`;
        assert.deepEqual(
            files.map(({ content }) => content.includes(line)),
            [true, true, false],
        );
    });

    it("is written root-only, with systemd's percent sign doubled", () => {
        const files = proxyFiles(spec);
        assert.ok(files.every(file => file.mode === 0o600 && file.secret));
        assert.ok(files[0].content.includes('Environment="HTTP_PROXY=http://u:p%%40@proxy:3128"'), files[0].content);
        assert.ok(files[2].content.includes("http://u:p%40@proxy:3128"));
    });

    it("writes nothing where there is none", () => assert.deepEqual(proxyFiles(hostSpec()), []));
});

describe("packages of the community", () => {
    it("come from the repository of the minor version, or from one's own", () => {
        assert.equal(repositoryUrl("1.34.4", "deb"), "https://pkgs.k8s.io/core:/stable:/v1.34/deb/");
        assert.equal(repositoryUrl("1.34.4", "rpm", "https://mirror/k8s"), "https://mirror/k8s/");
    });

    it("are pinned to the very version", () => {
        const [source, pin] = aptFiles("1.34.4", { repository: "https://mirror/k8s/" });
        assert.match(source.content, /^deb \[signed-by=\S+\] https:\/\/mirror\/k8s\/ \/\n$/);
        assert.equal(pin.content.match(/^Pin: version 1\.34\.4-\*$/gm)?.length, 3);
    });

    it("are signed, also with a key that is given", () => {
        const [repository, key] = dnfFiles("1.34.4", { key: "PEM" });
        assert.match(repository.content, /^gpgcheck=1$/m);
        assert.match(repository.content, new RegExp(`^gpgkey=file://${key.path}$`, "m"));
        assert.match(dnfFiles("1.34.4", {})[0].content, /^gpgkey=https:\/\/pkgs\.k8s\.io\/.*repomd\.xml\.key$/m);
    });
});

describe("files of a bundle", () => {
    it("go only where the role needs them", () => {
        const names = (spec = hostSpec()) => filesOf(spec, "binary", "image").map(file => file.path);
        assert.ok(names().includes("bin/etcdctl"));
        const worker = names(hostSpecs["a worker of a bundle"]);
        assert.ok(worker.includes("bin/kubelet") && !worker.includes("bin/etcdctl"));
    });
});

describe("/etc/hosts", () => {
    it("names the node, and the endpoint where only the nodes know it", () => {
        assert.deepEqual(hostsLines(hostSpec()), ["10.0.0.11 m1"]);
        assert.deepEqual(hostsLines(hostSpecs["a single master"]), ["10.0.0.11 m1", "10.0.0.11 core.x"]);
    });
});
