import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cpuinfo, meminfo } from "../../../lab/guest";
import { pickSources } from "../../../lab/images";
import { layerKey, scriptInputs } from "../../../lab/layers";
import { scripts } from "../../../lab/paths";
import { mirrored } from "../../../lab/registry";
import { packageCacheConfig } from "../../../lab/shared";
import { mountsBelow } from "../../../lab/teardown";
import { packageRoot } from "../../../tools/settings";

describe("what a node shows of itself", () => {
    it("has the memory it was given, and more available than free", () => {
        const value = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(meminfo(2 ** 31))![1]);
        assert.equal(value("MemTotal"), 2 ** 21);
        assert.ok(value("MemFree") < value("MemAvailable") && value("MemAvailable") < value("MemTotal"));
    });

    it("has as many processors as it was given", () => {
        const three = [0, 1, 2].map(i => `processor\t: ${i}\nmodel name\t: x\n`).join("\n");
        assert.equal(cpuinfo(three, 2).match(/^processor/gm)?.length, 2);
    });
});

describe("package sources of nodes", () => {
    const targets = [
        "bookworm|bookworm|http://mirror.example/debian/|main|Debian",
        "bookworm|bookworm-updates|http://mirror.example/debian/|main|Debian",
        "bookworm|bookworm|http://mirror.example/debian/|main|Debian",
        "nodistro|nodistro|https://other.example/|main|Other",
        "bookworm|bookworm|https://vendor.example/|stable|Vendor",
    ].join("\n");

    it("are this machine's own for its release, each once, and nobody else's", () => {
        assert.deepEqual(pickSources(targets, "bookworm"), [
            "deb http://mirror.example/debian/ bookworm main",
            "deb http://mirror.example/debian/ bookworm-updates main",
        ]);
        assert.deepEqual(pickSources(targets, "bookworm", "trixie"), [
            "deb http://mirror.example/debian/ trixie main",
            "deb http://mirror.example/debian/ trixie-updates main",
        ]);
    });

    it("are missed loudly", () => {
        assert.throws(() => pickSources(targets, "trixie"), /no Debian source for trixie/);
    });
});

describe("layers", () => {
    it("are other layers when an input or a layer below is another", () => {
        const below = { name: "base", key: "1", folder: "/x" };
        const key = layerKey({ name: "a", inputs: { packages: ["x"] }, below: [below] });
        assert.equal(layerKey({ name: "a", inputs: { packages: ["x"] }, below: [{ ...below, folder: "/y" }] }), key);
        assert.notEqual(layerKey({ name: "a", inputs: { packages: ["y"] }, below: [below] }), key);
        assert.notEqual(layerKey({ name: "a", inputs: { packages: ["x"] }, below: [{ ...below, key: "2" }] }), key);
    });

    it("know the text of all files they are made with", () => {
        assert.ok(Object.keys(scriptInputs("layer-lab.sh", "guest/")).includes("guest/boot.sh"));
    });

    it("find the scripts from the compiled code too", () => {
        assert.ok(existsSync(join(scripts, "node.sh")));
        assert.equal(packageRoot(join(packageRoot(), "dist", "lab")), packageRoot());
    });
});

describe("tearing down", () => {
    it("unmounts what lies in the lab's folder, inner mounts first, and no other lab's", () => {
        const line = (path: string) => `40 20 0:50 / ${path} rw - overlay overlay rw`;
        const text = ["/labs/a/nodes/m1/root", "/labs/ab/nodes/m1/root", "/labs/a/nodes/m1/root/proc", "/labs/a"];
        assert.deepEqual(mountsBelow(text.map(line).join("\n"), "/labs/a"), [
            "/labs/a/nodes/m1/root/proc",
            "/labs/a/nodes/m1/root",
        ]);
    });
});

describe("the registry as a mirror", () => {
    it("has an image under its path, whatever host it came from", () => {
        assert.deepEqual(mirrored("registry.k8s.io/coredns/coredns:v1.12.1"), {
            repository: "coredns/coredns",
            tag: "v1.12.1",
        });
        assert.deepEqual(mirrored("localhost:5000/pause:3"), { repository: "pause", tag: "3" });
        assert.deepEqual(mirrored("library/busybox"), { repository: "library/busybox", tag: "latest" });
    });
});

describe("the package cache", () => {
    it("listens on the loopback only and sends nothing elsewhere", () => {
        const text = packageCacheConfig(21000);
        assert.match(text, /^BindAddress: 127\.0\.0\.1$/m);
        assert.doesNotMatch(text, /Remap|^Proxy/m);
        assert.match(packageCacheConfig(21000, "http://p.example:3128"), /^Proxy: http:\/\/p\.example:3128$/m);
    });
});
