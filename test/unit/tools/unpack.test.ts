import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unpack } from "../../../tools/unpack";
import type { Release } from "../../../tools/versions";
import { scratch } from "./scratch";

describe("unpacking a release", () => {
    const { folder, set } = scratch();
    const release: Release = {
        file: "thing.tar.gz",
        place: "",
        sums: "",
        contents: { program: "bin/program", "the-config": "config" },
    };
    const [archive, target] = [() => join(folder(), release.file), () => join(folder(), "target")];

    beforeEach(() => {
        const parts = join(folder(), "parts");
        for (const name of ["bin", "config"]) mkdirSync(join(parts, name), { recursive: true });
        writeFileSync(join(parts, "bin", "program"), "#!/bin/sh\n");
        for (const name of ["a", "b"]) writeFileSync(join(parts, "config", name), name);
    });

    const pack = (...members: string[]) =>
        assert.equal(spawnSync("tar", ["-czf", archive(), "-C", join(folder(), "parts"), ...members]).status, 0);

    /** A tar that does as the real one, then ends by `end` where it extracts. */
    function fakeTar(end: string): void {
        const tar = spawnSync("sh", ["-c", "command -v tar"], { encoding: "utf8" }).stdout.trim();
        mkdirSync(join(folder(), "bin"));
        const text = `#!/bin/sh\n${tar} "$@"\ncase "$1" in -x*) ${end};; esac\n`;
        writeFileSync(join(folder(), "bin", "tar"), text, { mode: 0o755 });
        set("PATH", `${join(folder(), "bin")}:${process.env["PATH"]}`);
    }

    for (const [names, members] of Object.entries({
        NAME: ["bin", "config"],
        "./NAME": ["."],
        "NAME, without the folders themselves": ["bin/program", "config/a", "config/b"],
    }))
        it(`finds members that are named ${names}`, async () => {
            pack(...members);
            await unpack(release, archive(), target());
            assert.equal(readFileSync(join(target(), "program"), "utf8"), "#!/bin/sh\n");
            assert.deepEqual(readdirSync(join(target(), "the-config")).sort(), ["a", "b"]);
            assert.deepEqual(readdirSync(target()).sort(), ["program", "the-config"]);
        });

    for (const [what, end, said] of [
        ["says that the disk is full", "echo 'No space left on device' >&2; exit 2", /ended with 2: .*No space left/s],
        ["was killed", "kill -9 $$", /SIGKILL/],
    ] as const)
        it(`fails where tar ${what}, though all members are there`, async () => {
            pack("bin", "config");
            fakeTar(end);
            await assert.rejects(unpack(release, archive(), target()), { code: "TOOL_FAILED", message: said });
        });

    it("says of an archive without a member that its content is wrong, and nothing of a program's output", async () => {
        pack("config");
        await assert.rejects(unpack(release, archive(), target()), ({ message }: Error) => {
            assert.match(message, /there is no bin\/program in it/);
            assert.doesNotMatch(message, /program's output/);
            return true;
        });
    });

    it("says of a file that is no archive what tar says", async () => {
        writeFileSync(archive(), "an error page");
        await assert.rejects(unpack(release, archive(), target()), /unpack thing\.tar\.gz[\s\S]*tar ended with 2/);
    });
});
