import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rebuiltSums } from "../../../tools/known-sums";
import { mirror } from "../../../tools/sources/mirror";
import { type Tool, tool } from "../../../tools/versions";
import { skipIf } from "../../support/skip";
import { scratch } from "./scratch";

describe("the mirror folder", () => {
    const { folder, set } = scratch();
    const wanted = tool("plugin-command", "9.9.9"); // not in our tables
    const [{ file }] = wanted.releases;
    let sum = "";

    beforeEach(() => {
        const parts = join(folder(), "parts");
        mkdirSync(parts);
        writeFileSync(join(parts, "pulumi-resource-command"), "#!/bin/sh\n");
        spawnSync("tar", ["-czf", join(folder(), file), "-C", parts, "pulumi-resource-command"]);
        sum = createHash("sha256")
            .update(readFileSync(join(folder(), file)))
            .digest("hex");
    });

    const source = () => mirror(folder(), () => {});
    const vouch = (text: string) => writeFileSync(join(folder(), "SHA256SUMS"), text);

    it("gives a file that its SHA256SUMS vouches for, executable, and says who vouched", async () => {
        vouch(`${sum}  ${file}\n`);
        const found = await source().obtain(wanted);
        assert.match(found.detail, /vouched for by its SHA256SUMS/);
        assert.equal(statSync(found.programs["pulumi-resource-command"]).mode & 0o777, 0o755);
        assert.deepEqual(await source().ready(wanted), found);
    });

    it("takes an archive in any compression that tar knows", async function () {
        const packed = wanted.releases[0].file.replace(".gz", ".xz");
        const done = spawnSync("tar", [
            "-cJf",
            join(folder(), packed),
            "-C",
            join(folder(), "parts"),
            "pulumi-resource-command",
        ]);
        skipIf(this, done.status !== 0 && "xz is not installed");
        const bytes = readFileSync(join(folder(), packed));
        vouch(`${createHash("sha256").update(bytes).digest("hex")}  ${packed}\n`);
        const found = await source().obtain({ ...wanted, releases: [{ ...wanted.releases[0], file: packed }] });
        assert.equal(readFileSync(found.programs["pulumi-resource-command"], "utf8"), "#!/bin/sh\n");
    });

    it("gives folders, too, where a tool has them", async () => {
        const parts = join(folder(), "parts");
        mkdirSync(join(parts, "config", "crd"), { recursive: true });
        writeFileSync(join(parts, "config", "crd", "a.yaml"), "a: 1\n");
        spawnSync("tar", ["-czf", join(folder(), file), "-C", parts, "."]);
        vouch(
            `${createHash("sha256")
                .update(readFileSync(join(folder(), file)))
                .digest("hex")}  ${file}\n`,
        );
        const [release] = wanted.releases;
        const contents = { ...release.contents, "the-config": "config" };
        const found = await source().obtain({ ...wanted, files: ["the-config"], releases: [{ ...release, contents }] });
        assert.equal(readFileSync(join(found.files["the-config"], "crd", "a.yaml"), "utf8"), "a: 1\n");
        assert.deepEqual(Object.keys(found.programs), ["pulumi-resource-command"]);
    });

    it("is unpacked as it was verified, also if somebody writes into the folder meanwhile", async () => {
        vouch(`${sum}  ${file}\n`);
        const [bin, evil] = [join(folder(), "bin"), join(folder(), "evil")];
        for (const place of [bin, evil]) mkdirSync(place);
        writeFileSync(join(evil, "pulumi-resource-command"), "#!/bin/sh\n# another\n");
        // The moment of change: before tar reads, after the sum was seen.
        const tar = spawnSync("sh", ["-c", "command -v tar"], { encoding: "utf8" }).stdout.trim();
        const swap = `${tar} -czf ${join(folder(), file)} -C ${evil} pulumi-resource-command`;
        writeFileSync(join(bin, "tar"), `#!/bin/sh\n${swap}\nexec ${tar} "$@"\n`, { mode: 0o755 });
        set("PATH", `${bin}:${process.env["PATH"]}`);
        const found = await source().obtain(wanted);
        assert.equal(readFileSync(found.programs["pulumi-resource-command"], "utf8"), "#!/bin/sh\n");
    });

    it("refuses a file that nothing vouches for", async () => {
        await assert.rejects(source().obtain(wanted), /refused: nothing vouches/);
        vouch(`${sum}  another.tar.gz\n`);
        await assert.rejects(source().obtain(wanted), /refused: nothing vouches/);
        vouch(`${sum}  ${file}\n`);
        writeFileSync(join(folder(), "second"), "");
        const both = { ...wanted, releases: [...wanted.releases, { ...wanted.releases[0], file: "second" }] };
        await assert.rejects(source().obtain(both), /nothing vouches for second \(/);
    });

    it("refuses a file with another sum, and keeps nothing of it", async () => {
        vouch(`${sum}  ${file}\n`);
        appendFileSync(join(folder(), file), "x");
        await assert.rejects(source().obtain(wanted), new RegExp(`refused: .*expected is ${sum}`));
        assert.equal(await source().ready(wanted), undefined);
    });

    it("accepts the official file by our table, without a SHA256SUMS", async () => {
        const known: Tool = { ...wanted, releases: [{ ...wanted.releases[0], sha256: sum }] };
        assert.match((await source().obtain(known)).detail, /our table of official sums/);
    });

    it("is not needed for what was taken from it before, if our table vouches for that", async () => {
        const away = mirror(undefined, () => {});
        const known: Tool = { ...wanted, releases: [{ ...wanted.releases[0], sha256: sum }] };
        assert.equal(await away.ready(known), undefined);
        const found = await source().obtain(known);
        assert.deepEqual(await away.ready(known), found);
        assert.equal(await away.ready(wanted), undefined);
    });

    it("refuses a file of a known name with another sum, if nothing else vouches for it", async () => {
        const pinned = tool("plugin-kubernetes");
        writeFileSync(join(folder(), pinned.releases[0].file), "another archive");
        await assert.rejects(source().obtain(pinned), /refused: .* expected is [0-9a-f]{64}/);
    });

    it("says what the code of an archive of our table of rebuilt ones is, also before it is taken", async () => {
        const plugin = tool("plugin-openstack");
        const release = {
            ...plugin.releases[0],
            file,
            contents: { "pulumi-resource-openstack": "pulumi-resource-command" },
        };
        const named: Tool = { ...plugin, releases: [release] };
        vouch(`${sum}  ${file}\n`);
        assert.equal((await source().obtain(named)).code, undefined, "the site's own archive");
        assert.equal((await source().prospect(named))?.code, undefined);
        rebuiltSums[file] = sum;
        try {
            assert.match((await source().prospect(named))?.code ?? "", /^terraform-provider-openstack 3\.4\.0 under/);
            const { code } = await source().obtain(named);
            assert.match(code ?? "", /^terraform-provider-openstack 3\.4\.0 under/);
            assert.equal((await source().ready(named))?.code, code);
        } finally {
            delete rebuiltSums[file];
        }
    });

    it("takes a changed mirror file with its new sum anew", async () => {
        vouch(`${sum}  ${file}\n`);
        const before = await source().obtain(wanted);
        spawnSync("tar", [
            "-czf",
            join(folder(), file),
            "-C",
            join(folder(), "parts"),
            "--mtime=@0",
            "pulumi-resource-command",
        ]);
        vouch(
            `${createHash("sha256")
                .update(readFileSync(join(folder(), file)))
                .digest("hex")}  ${file}\n`,
        );
        const after = await source().obtain(wanted);
        assert.notDeepEqual(after.programs, before.programs);
    });

    it("says which files it does not have", async () => {
        await assert.rejects(source().obtain(tool("etcd")), /the mirror folder \S+ has no etcd-v/);
        await assert.rejects(mirror(undefined, () => {}).obtain(wanted), /no mirror folder .*PULUMI_NFV_MIRROR/);
    });
});
