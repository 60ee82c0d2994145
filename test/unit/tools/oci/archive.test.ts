import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openArchive } from "../../../../provider/images/archive";
import { type Image, writeImage } from "../../../../tools/oci/archive";
import { bundleImages, shortName } from "../../../../tools/oci/images";
import { scratch } from "../scratch";

const digest = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

describe("an OCI archive", () => {
    const { folder } = scratch();
    let image: Image;

    beforeEach(() => {
        writeFileSync(join(folder(), "program"), "#!/bin/sh\necho hello\n");
        image = {
            name: "registry.example:5000/group/hello:1.2",
            content: { programs: { "/usr/local/bin/hello": join(folder(), "program") }, folders: ["/tmp"] },
            entrypoint: ["/usr/local/bin/hello"],
        };
    });

    /** Unpacks and follows every digest; throws on a mismatch. */
    async function open() {
        const file = join(folder(), "image.tar");
        await writeImage(image, file);
        const root = join(folder(), "unpacked");
        mkdirSync(root);
        assert.equal(spawnSync("tar", ["-xf", file, "-C", root]).status, 0);
        const blob = (descriptor: { digest: string; size: number }) => {
            const bytes = readFileSync(join(root, "blobs", descriptor.digest.replace(":", "/")));
            assert.equal(digest(bytes), descriptor.digest);
            assert.equal(bytes.length, descriptor.size);
            return bytes;
        };
        assert.deepEqual(JSON.parse(readFileSync(join(root, "oci-layout"), "utf8")), { imageLayoutVersion: "1.0.0" });
        const index = JSON.parse(readFileSync(join(root, "index.json"), "utf8"));
        const manifest = JSON.parse(blob(index.manifests[0]).toString());
        const config = JSON.parse(blob(manifest.config).toString());
        return {
            index,
            manifest,
            config,
            layer: blob(manifest.layers[0]),
            blobs: readdirSync(join(root, "blobs/sha256")),
        };
    }

    it("holds together: each digest and size is that of the blob it names, and there are no others", async () => {
        const { config, layer, blobs } = await open();
        assert.deepEqual(config.rootfs.diff_ids, [digest(gunzipSync(layer))]);
        assert.equal(blobs.length, 3);
    });

    it("carries the full name for containerd, and the tag for others", async () => {
        const { index, config } = await open();
        assert.equal(index.manifests[0].annotations["io.containerd.image.name"], image.name);
        assert.equal(index.manifests[0].annotations["org.opencontainers.image.ref.name"], "1.2");
        assert.deepEqual(config.config.Entrypoint, ["/usr/local/bin/hello"]);
        assert.match(config.config.Env[0], /^PATH=.*\/usr\/local\/bin/);
    });

    it("has a second name with its digest where pods are to ask for it by that", async () => {
        image.namedByDigest = true;
        const { index } = await open();
        const [first, second] = index.manifests;
        assert.equal(second.digest, first.digest);
        const name = `registry.example:5000/group/hello@${first.digest}`;
        assert.equal(second.annotations["io.containerd.image.name"], name);
        assert.equal(await writeImage(image, join(folder(), "again.tar")), first.digest);
        assert.equal((await openArchive(join(folder(), "again.tar"))).blobs.length, 2);
    });

    it("is the same to the byte when made again, whatever the times of the files", async () => {
        const [first, second] = [join(folder(), "1.tar"), join(folder(), "2.tar")];
        await writeImage(image, first);
        utimesSync(join(folder(), "program"), 1, 1);
        await writeImage(image, second);
        assert.ok(readFileSync(first).equals(readFileSync(second)));
    });

    it("has several layers in their order, each with its sums, and the settings that it was given", async () => {
        image.above = [{ texts: { "/etc/middle": "1" } }, { texts: { "/etc/top": "2" } }];
        Object.assign(image, {
            user: "1001:0",
            workingDir: "/work",
            env: { PATH: "/bin", A: "b=c" },
            labels: { x: "y" },
        });
        const { manifest, config, blobs } = await open();
        assert.deepEqual([manifest.layers.length, config.history.length, blobs.length], [3, 3, 5]);
        const members = manifest.layers.map(({ digest: of }: { digest: string }, i: number) => {
            const bytes = gunzipSync(readFileSync(join(folder(), "unpacked/blobs", of.replace(":", "/"))));
            assert.equal(config.rootfs.diff_ids[i], digest(bytes));
            return /middle|top/.exec(bytes.toString())?.[0];
        });
        assert.deepEqual(members, [undefined, "middle", "top"]);
        const { User, Env, WorkingDir, Labels } = config.config;
        assert.deepEqual([User, Env, WorkingDir, Labels], ["1001:0", ["PATH=/bin", "A=b=c"], "/work", { x: "y" }]);
    });

    it("leaves nothing behind when it fails", async () => {
        image.content.programs = { "/gone": join(folder(), "gone") };
        await assert.rejects(writeImage(image, join(folder(), "image.tar")), /ENOENT/);
        assert.deepEqual(readdirSync(folder()), ["program"]);
    });
});

describe("the images of a bundle", () => {
    const parts = { programs: {}, pause: "/p", iptables: {}, busybox: "/b", applets: ["sh", "ip"] };

    it("are what kubeadm asks for under its names, and two of our own", () => {
        const wanted = ["registry.k8s.io/coredns/coredns:v1.12.1", "registry.k8s.io/pause:3.10.1"];
        assert.deepEqual(
            bundleImages(wanted, parts).map(image => image.name),
            [...wanted, "pulumi-nfv.invalid/podnet:1", "pulumi-nfv.invalid/tools:1"],
        );
    });

    it("give workers no control plane", () => {
        const names = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "pause"];
        const images = bundleImages(
            names.map(name => `registry.k8s.io/${name}:1`),
            parts,
        );
        const forWorkers = images.filter(image => image.roles.includes("worker")).map(image => shortName(image.name));
        assert.deepEqual(forWorkers, ["kube-proxy", "pause", "podnet", "tools"]);
    });

    it("are refused when kubeadm wants one that nobody knows", () => {
        assert.throws(() => bundleImages(["registry.k8s.io/novelty:1"], parts), /novelty/);
    });
});
