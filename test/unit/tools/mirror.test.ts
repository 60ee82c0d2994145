import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
    appendFileSync,
    chmodSync,
    chownSync,
    copyFileSync,
    mkdirSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
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

    it("refuses a file that our table vouches for, if its SHA256SUMS has another sum", async () => {
        const known: Tool = { ...wanted, releases: [{ ...wanted.releases[0], sha256: sum }] };
        const other = "0".repeat(64);
        vouch(`${other}  ${file}\n`);
        await assert.rejects(
            source().obtain(known),
            new RegExp(`refused: .* has the sum ${sum}, expected is ${other}`),
        );
        assert.equal(await source().ready(known), undefined);
        rebuiltSums[file] = sum;
        try {
            await assert.rejects(source().obtain(wanted), new RegExp(`expected is ${other} \\(its SHA256SUMS\\)`));
        } finally {
            delete rebuiltSums[file];
        }
    });

    it("is not needed for what our table vouches for, also where its SHA256SUMS has that, too", async () => {
        const known: Tool = { ...wanted, releases: [{ ...wanted.releases[0], sha256: sum }] };
        vouch(`${sum}  ${file}\n`);
        const found = await source().obtain(known);
        assert.match(found.detail, /our table of official sums/);
        assert.deepEqual(await mirror(undefined, () => {}).ready(known), found);
    });

    it("takes by the sums that it had when it was asked, and never by those that come while it copies", async () => {
        vouch(`${sum}  ${file}\n`);
        const second = { ...wanted.releases[0], file: "second.tar.gz", contents: { more: "pulumi-resource-command" } };
        const both: Tool = { ...wanted, releases: [...wanted.releases, second] };
        copyFileSync(join(folder(), file), join(folder(), second.file));
        vouch(`${sum}  ${file}\n${"0".repeat(64)}  ${second.file}\n`);
        // The list changes after the first file was taken.
        const swapping = mirror(folder(), line => {
            if (line.includes(second.file)) vouch(`${sum}  ${file}\n${sum}  ${second.file}\n`);
        });
        await assert.rejects(swapping.obtain(both), /second\.tar\.gz has the sum/);
    });

    it("does not take the only sum of its SHA256SUMS for that of any file", async () => {
        vouch(`${sum}\n`);
        await assert.rejects(source().obtain(wanted), /refused: nothing vouches/);
    });

    describe("with files whose names have no version", () => {
        const row = tool("kubernetes", "1.35.0");
        const says = (version: string) => (name: string) =>
            `#!/bin/sh\n${
                {
                    kubeadm: `[ "$*" = "version -o short" ] && echo v${version}`,
                    kubectl: `[ "$*" = "version --client" ] && printf 'Client Version: v${version}\nKustomize Version: v5.8.1\n'`,
                }[name] ?? `[ "$*" = --version ] && echo Kubernetes v${version}`
            }\n`;
        const fill = (script: (name: string) => string, files = row.releases) => {
            for (const each of files) writeFileSync(join(folder(), each.file), script(each.file));
            const sumOfFile = (name: string) =>
                createHash("sha256")
                    .update(readFileSync(join(folder(), name)))
                    .digest("hex");
            vouch(files.map(each => `${sumOfFile(each.file)}  ${each.file}\n`).join(""));
        };

        it("gives programs that say the wanted version", async () => {
            fill(says("1.35.0"));
            const found = await source().obtain(row);
            assert.deepEqual(Object.keys(found.programs), row.programs);
            assert.deepEqual(await source().ready(row), found);
        });

        it("refuses those of another version, and says what they are", async () => {
            for (const other of ["1.36.3", "1.35.0-rc.0", "1.35.0+k3s1"]) {
                fill(says(other));
                await assert.rejects(source().obtain(row), {
                    message: `refused: ${folder()}/kube-apiserver is ${other}, not 1.35.0`,
                });
                assert.equal(await source().ready(row), undefined);
            }
            fill(name => says(name === "kubectl" ? "1.34.4" : "1.35.0")(name));
            await assert.rejects(source().obtain(row), /kubectl is 1\.34\.4, not 1\.35\.0/);
        });

        it("refuses a program that says nothing, such as one of another architecture", async () => {
            fill(() => "no program");
            await assert.rejects(
                source().obtain(row),
                /refused: \S+kube-apiserver does not say its version: exit code/,
            );
        });

        it("asks runc, too, and none that an archive names", async () => {
            const runc = tool("runc", "1.5.3");
            fill(() => "#!/bin/sh\nprintf 'runc version 1.4.0\\ncommit: x\\n'\n", runc.releases);
            await assert.rejects(source().obtain(runc), /runc\.amd64 is 1\.4\.0, not 1\.5\.3/);
        });
    });

    describe("that this user may not read", () => {
        beforeEach(function () {
            skipIf(this, process.getuid?.() !== 0 && "only root becomes another user here");
            vouch(`${sum}  ${file}\n`);
            chmodSync(folder(), 0o755);
            mkdirSync(join(folder(), "cache"));
            chownSync(join(folder(), "cache"), 65534, 65534);
        });
        afterEach(() => process.seteuid?.(0));

        for (const [what, place] of [
            ["a file", file],
            ["its SHA256SUMS", "SHA256SUMS"],
            ["the folder", "."],
        ] as const)
            it(`refuses with that reason: ${what}`, async () => {
                const closed = join(folder(), "closed");
                mkdirSync(closed);
                for (const name of [file, "SHA256SUMS"]) copyFileSync(join(folder(), name), join(closed, name));
                chmodSync(join(closed, place), 0);
                process.seteuid!(65534);
                const asked = mirror(closed, () => {});
                await assert.rejects(asked.obtain(wanted), { message: /^refused: \S+: this user may not read it$/ });
                assert.equal(await asked.ready(wanted), undefined);
                if (what !== "a file") assert.equal((await asked.prospect(wanted))?.usable, false);
            });
    });

    it("refuses a folder in the place of a file", async () => {
        vouch(`${sum}  ${file}\n`);
        rmSync(join(folder(), file));
        mkdirSync(join(folder(), file));
        await assert.rejects(source().obtain(wanted), /refused: \S+: it is a folder/);
    });

    it("says which files it does not have", async () => {
        await assert.rejects(source().obtain(tool("etcd")), /the mirror folder \S+ has no etcd-v/);
        await assert.rejects(mirror(undefined, () => {}).obtain(wanted), /no mirror folder .*PULUMI_NFV_MIRROR/);
    });
});
