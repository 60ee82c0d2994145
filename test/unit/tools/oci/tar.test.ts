import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { layerMembers } from "../../../../tools/oci/layer";
import { type TarMember, tarBytes } from "../../../../tools/oci/tar";
import { scratch } from "../scratch";

async function bytes(members: TarMember[]): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of tarBytes(members)) {
        chunks.push(chunk);
    }
    return Buffer.concat(chunks);
}

describe("the tar writer", () => {
    const { folder } = scratch();

    it("is understood by tar: types, modes, content, links, long names", async () => {
        const long = `${"folder/".repeat(20)}file`;
        const source = join(folder(), "source");
        writeFileSync(source, "from disk");
        const members: TarMember[] = [
            { path: "tmp", type: "folder", mode: 0o1777 },
            { path: "bin", type: "folder", mode: 0o755 },
            { path: "bin/program", type: "file", mode: 0o755, source: { path: source, sizeBytes: 9 } },
            { path: "bin/alias", type: "link", mode: 0o777, target: "program" },
            { path: long, type: "file", mode: 0o600, content: Buffer.from("far away") },
        ];
        const out = spawnSync("tar", ["-xpf", "-", "-C", folder()], { input: await bytes(members) });
        assert.equal(out.stderr.toString(), "");
        assert.equal(out.status, 0);
        assert.equal(lstatSync(join(folder(), "tmp")).mode & 0o7777, 0o1777);
        assert.equal(lstatSync(join(folder(), "bin/program")).mode & 0o7777, 0o755);
        assert.equal(readFileSync(join(folder(), "bin/program"), "utf8"), "from disk");
        assert.equal(readlinkSync(join(folder(), "bin/alias")), "program");
        assert.equal(readFileSync(join(folder(), long), "utf8"), "far away");
        assert.equal(lstatSync(join(folder(), long)).mtimeMs, 0);
    });

    it("writes whole blocks for files of any size", async () => {
        await fc.assert(
            fc.asyncProperty(fc.uint8Array({ maxLength: 1600 }), async content => {
                const file: TarMember = { path: "file", type: "file", mode: 0o644, content: Buffer.from(content) };
                const archive = await bytes([file]);
                assert.equal(archive.length % 512, 0);
                const listed = spawnSync("tar", ["-xOf", "-"], { input: archive });
                assert.deepEqual(listed.stdout, Buffer.from(content));
            }),
            { numRuns: 15 },
        );
    });

    it("refuses a name that a tar file cannot hold", async () => {
        await assert.rejects(bytes([{ path: "x".repeat(300), type: "file", mode: 0o644 }]), /too long/);
    });

    it("notices a file that changed while it was read", async () => {
        const source = join(folder(), "source");
        writeFileSync(source, "longer than announced");
        const file: TarMember = { path: "f", type: "file", mode: 0o644, source: { path: source, sizeBytes: 3 } };
        await assert.rejects(bytes([file]), /changed while it was read/);
    });
});

describe("the content of a layer", () => {
    it("has every parent before its children, whatever was named first", async () => {
        const members = await layerMembers({
            texts: { "/etc/deep/down/file": "x" },
            links: { "/bin": "usr/bin" },
            folders: ["/usr/bin", "/tmp"],
        });
        assert.deepEqual(
            members.map(member => `${member.path} ${member.type} ${member.mode.toString(8)}`),
            [
                "bin link 777",
                "etc folder 755",
                "etc/deep folder 755",
                "etc/deep/down folder 755",
                "etc/deep/down/file file 644",
                "tmp folder 1777",
                "usr folder 755",
                "usr/bin folder 755",
            ],
        );
    });
});
