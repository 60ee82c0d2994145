import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lab } from "../../../lab/lab";
import { run } from "../../../lab/process";
import { skipIf } from "../../support/skip";
import { cannotRun } from "./remains";

/** A bundle with one image of one small layer. */
async function smallBundle(folder: string): Promise<void> {
    const layout = join(folder, "layout");
    mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
    mkdirSync(join(folder, "images"));
    const blob = (content: Buffer | string, mediaType: string) => {
        const hash = createHash("sha256").update(content).digest("hex");
        writeFileSync(join(layout, "blobs/sha256", hash), content);
        return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${hash}`, size: content.length };
    };
    const layer = blob(Buffer.alloc(10_240), "layer.v1.tar");
    const rootfs = { type: "layers", diff_ids: [layer.digest] };
    const config = blob(JSON.stringify({ architecture: "amd64", os: "linux", rootfs }), "config.v1+json");
    const manifest = blob(
        JSON.stringify({
            schemaVersion: 2,
            mediaType: "application/vnd.oci.image.manifest.v1+json",
            config,
            layers: [layer],
        }),
        "manifest.v1+json",
    );
    writeFileSync(join(layout, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
    writeFileSync(join(layout, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
    await run(["tar", "-C", layout, "-cf", join(folder, "images/a.tar"), "oci-layout", "index.json", "blobs"]);
    const files = [{ path: "images/a.tar", kind: "image", image: "registry.example/team/a:1" }];
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files }));
}

describe("the lab's registry", function () {
    this.timeout(400_000);
    const name = "registrytest";
    let folder = "";

    before(function () {
        skipIf(this, cannotRun());
        folder = mkdtempSync(join(tmpdir(), "nfv-test-"));
    });

    after(async () => {
        if (!cannotRun()) {
            await Lab.remove(name);
            rmSync(folder, { recursive: true, force: true });
        }
    });

    it("serves to nodes what was pushed, over TLS with its own authority only", async () => {
        await smallBundle(folder);
        const lab = await Lab.up({ name, nodes: ["m1"], registry: true });
        await lab.pushBundle(folder);
        const { address, ca } = lab.registry!;
        await lab.mustSsh("m1", `cat > /root/ca.crt <<'PEM'\n${ca}\nPEM`);
        const url = `https://${address}/v2/team/a/tags/list`;
        assert.deepEqual(JSON.parse(await lab.mustSsh("m1", `curl -sS --cacert /root/ca.crt ${url}`)), {
            name: "team/a",
            tags: ["1"],
        });
        assert.notEqual((await lab.ssh("m1", `curl -sS ${url}`)).code, 0);
    });

    it("is no part of a lab that did not ask for it", async () => {
        await Lab.remove(name);
        const lab = await Lab.up({ name, nodes: ["m1"] });
        assert.equal(lab.registry, undefined);
        assert.throws(() => lab.pushBundle(folder), /no registry/);
    });
});
