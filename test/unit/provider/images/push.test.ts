import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleImages } from "../../../../provider/cluster/bundle-images";
import type { BundleFile } from "../../../../provider/common/model";
import { openArchive } from "../../../../provider/images/archive";
import { mirrored, pushImages } from "../../../../provider/images/push";
import { listener } from "../support/cluster";
import { FakeRegistry } from "./fake-registry";

describe("the images of a bundle", () => {
    let registry: FakeRegistry;
    let folder: string;
    const image = "registry.k8s.io/team/app:v1";
    const files: BundleFile[] = [
        { path: "images/app.tar", kind: "image", sha256: "a".repeat(64), sizeBytes: 12_000, roles: ["worker"], image },
    ];
    const place = (more = {}) => ({ address: registry.address, ca: registry.ca, ...more });

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-images-"));
        const layout = join(folder, "layout");
        mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
        mkdirSync(join(folder, "images"));
        const blob = (content: string | Buffer, mediaType: string) => {
            const hash = createHash("sha256").update(content).digest("hex");
            writeFileSync(join(layout, "blobs/sha256", hash), content);
            return { mediaType, digest: `sha256:${hash}`, size: content.length };
        };
        const layers = [blob(Buffer.alloc(5000, 1), "layer"), blob("small", "layer")];
        const manifest = blob(JSON.stringify({ config: blob("{}", "config"), layers }), "manifest-type");
        writeFileSync(join(layout, "index.json"), JSON.stringify({ manifests: [manifest] }));
        const names = ["-C", layout, "-cf", join(folder, "images/app.tar"), "index.json", "blobs"];
        execFileSync("tar", names);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));
    beforeEach(async () => {
        registry = await FakeRegistry.start();
    });
    afterEach(() => registry.stop());

    it("are read from their archives without unpacking them", async () => {
        const { mediaType, manifest, blobs } = await openArchive(join(folder, "images/app.tar"));
        assert.equal(mediaType, "manifest-type");
        assert.equal(JSON.parse(manifest).layers.length, 2);
        for (const { digest, stream } of blobs) {
            const hash = createHash("sha256");
            for await (const chunk of stream()) hash.update(chunk);
            assert.equal(`sha256:${hash.digest("hex")}`, digest);
        }
    });

    it("lie in the registry where a mirror has them, all blobs before the tag", async () => {
        const context = listener();
        await pushImages(place(), folder, files, context.report);
        assert.deepEqual([...registry.manifests.keys()], ["team/app:v1"]);
        assert.equal(registry.blobs.size, 3);
        assert.equal(registry.seen.at(-1), "PUT /v2/team/app/manifests/v1");
        assert.deepEqual(context.said, ["1/1 push team/app:v1 (1 MB)"]);
    });

    it("are not sent again where the registry has them", async () => {
        await pushImages(place(), folder, files, () => {});
        const before = registry.seen.length;
        await pushImages(place(), folder, files, () => {});
        assert.ok(
            registry.seen.slice(before).every(line => /^HEAD |manifests/.test(line)),
            registry.seen.join("\n"),
        );
    });

    it("go under the path that the registry wants", async () => {
        await pushImages(place({ address: `${registry.address}/kubernetes/` }), folder, files, () => {});
        assert.deepEqual([...registry.manifests.keys()], ["kubernetes/team/app:v1"]);
    });

    for (const login of ["basic", "token"] as const) {
        it(`are pushed with a login by ${login}, and refused without naming the password`, async () => {
            registry.login = login;
            await pushImages(place({ username: "nfv", password: "right" }), folder, files, () => {});
            assert.equal(registry.manifests.size, 1);
            const wrong = pushImages(place({ username: "nfv", password: "canary" }), folder, files, () => {});
            await assert.rejects(wrong, (error: Error) => {
                assert.match(error.message, /API_REFUSED[\s\S]*registry 127[\s\S]*401/);
                assert.doesNotMatch(error.message, /canary/);
                return true;
            });
        });
    }

    it("go to nobody whose certificate does not fit", async () => {
        const other = await FakeRegistry.start();
        try {
            const push = pushImages(place({ ca: other.ca }), folder, files, () => {});
            await assert.rejects(push, /API_UNREACHABLE[\s\S]*as `ca` in `registries`/);
            assert.deepEqual(registry.seen, []);
        } finally {
            await other.stop();
        }
    });

    it("are pushed again when they change, not when the login does", async () => {
        const inputs = { clusterName: "core", registry: place(), path: folder, files };
        const { id, outs } = await bundleImages.create(inputs, listener());
        const change = (more: object) => bundleImages.diff(id, outs, { ...inputs, ...more }).changes;
        assert.equal(change({}), false);
        assert.equal(change({ registry: place({ password: "p" }), path: "/elsewhere" }), false);
        assert.equal(change({ files: [{ ...files[0]!, sha256: "b".repeat(64) }] }), true);
        assert.equal(change({ registry: place({ address: "other:1" }) }), true);
    });

    it("have the names that a mirror asks for", () => {
        const rows = {
            "registry.k8s.io/coredns/coredns:v1": {
                registry: "registry.k8s.io",
                repository: "coredns/coredns",
                tag: "v1",
            },
            "host:5000/a": { registry: "host:5000", repository: "a", tag: "latest" },
            "library/nginx:1": { registry: "docker.io", repository: "library/nginx", tag: "1" },
        };
        for (const [name, expected] of Object.entries(rows)) assert.deepEqual(mirrored(name), expected);
    });
});
