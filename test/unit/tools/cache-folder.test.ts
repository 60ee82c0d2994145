import { strict as assert } from "node:assert";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findCli } from "../../../pipeline/stack/cli";
import { entryFolder, lookUp, obtain } from "../../../tools/cache";
import { asCacheError, CacheUnusable, cacheProblem, whyOthers } from "../../../tools/cache-folder";
import { skipIf } from "../../support/skip";
import { scratch } from "./scratch";

const request = { group: "tools", name: "thing", inputs: {} };
const build = async (folder: string) => {
    writeFileSync(join(folder, "program"), "x");
    return {};
};
const isRoot = process.getuid?.() === 0;

describe("the cache's folder", () => {
    const { folder, set } = scratch();
    const cache = () => join(folder(), "cache");

    const refused = (said: RegExp) => (error: Error) => {
        assert.ok(error instanceof CacheUnusable, error.stack);
        assert.match(error.message, /^INVALID_INPUT\n +PULUMI_NFV_CACHE: /);
        assert.match(error.message, said);
        return true;
    };

    it("is made with the first entry, and has no problem before and after that", async () => {
        assert.equal(cacheProblem(), undefined);
        await obtain(request, build);
        assert.equal(cacheProblem(), undefined);
    });

    it("can be used by the next run, whatever the umask", async () => {
        const before = process.umask(0);
        try {
            await obtain(request, build);
            assert.equal(cacheProblem(), undefined);
            assert.notEqual(await lookUp(request), undefined);
        } finally {
            process.umask(before);
        }
    });

    it("may not be a relative path", async () => {
        set("PULUMI_NFV_CACHE", "cache");
        await assert.rejects(obtain(request, build), refused(/"cache" is a relative path/));
        assert.match(cacheProblem() ?? "", /"cache" is a relative path, an absolute one is expected/);
    });

    for (const [what, place] of Object.entries({
        "in its place": () => cache(),
        "in the place of a folder above it": () => join(folder(), "above"),
    }))
        it(`is refused where a file is ${what}`, async () => {
            writeFileSync(place(), "");
            if (place() !== cache()) set("PULUMI_NFV_CACHE", join(place(), "cache"));
            await assert.rejects(obtain(request, build), refused(new RegExp(`${place()} is not a folder`)));
            assert.equal(cacheProblem(), `${place()} is not a folder`);
        });

    it("is refused where a file is in the place of a folder in it", async () => {
        mkdirSync(cache());
        writeFileSync(join(cache(), "tools"), "");
        await assert.rejects(obtain(request, build), refused(/cache\/tools is not a folder/));
    });

    it("is refused where this user may not write", async function () {
        skipIf(this, !isRoot && "only root becomes another user here");
        mkdirSync(cache());
        chmodSync(folder(), 0o755);
        process.seteuid!(65534);
        try {
            await assert.rejects(obtain(request, build), refused(/cache.*: this user may not write there/));
        } finally {
            process.seteuid!(0);
        }
    });

    it("is named where the disk is full, also by a write that has no path", () => {
        const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        assert.match((asCacheError(full) as Error).message, /PULUMI_NFV_CACHE: \S+cache: the disk is full/);
        const copy = { code: "ENOSPC", path: "/srv/mirror/a", dest: join(cache(), "tools/a") };
        assert.match((asCacheError(Object.assign(new Error(), copy)) as Error).message, /the disk is full/);
        const elsewhere = Object.assign(new Error(), { code: "ENOSPC", path: "/srv/bundle" });
        assert.equal(asCacheError(elsewhere), elsewhere);
        const unreadable = Object.assign(new Error(), { ...copy, code: "EACCES" });
        assert.equal(asCacheError(unreadable), unreadable, "the file that is read");
    });

    it("is named by a run that needs only its launcher there", async () => {
        writeFileSync(cache(), "");
        await assert.rejects(findCli({ pulumi: "/usr/bin/true" }), refused(/cache is not a folder/));
    });

    it("may be this user's or root's, and nobody else's", () => {
        assert.equal(whyOthers({ uid: 1000, mode: 0o40775 }, 1000), undefined);
        assert.equal(whyOthers({ uid: 0, mode: 0o40755 }, 1000), undefined);
        assert.match(whyOthers({ uid: 1001, mode: 0o40755 }, 1000) ?? "", /belongs to user 1001/);
        assert.match(whyOthers({ uid: 1000, mode: 0o40777 }, 0) ?? "", /belongs to user 1000/);
        assert.match(whyOthers({ uid: 0, mode: 0o41777 }, 1000) ?? "", /can be written by all users/);
    });

    for (const [what, place] of Object.entries({
        "the cache": () => cache(),
        "a group": () => dirname(entryFolder(request)),
        "an entry": () => entryFolder(request),
    })) {
        it(`refuses ${what} into which all users may write`, async () => {
            await obtain(request, build);
            chmodSync(place(), 0o777);
            await assert.rejects(lookUp(request), refused(new RegExp(`${place()} can be written by all users`)));
            await assert.rejects(obtain(request, build), refused(/chmod o-w/));
        });

        it(`refuses ${what} of another user`, async function () {
            skipIf(this, !isRoot && "only root gives folders to others");
            await obtain(request, build);
            chownSync(place(), 65534, 65534);
            await assert.rejects(lookUp(request), refused(new RegExp(`${place()} belongs to user 65534`)));
        });
    }

    it("is refused before the first entry is made there, too", async () => {
        mkdirSync(cache());
        chmodSync(cache(), 0o777);
        await assert.rejects(obtain(request, build), refused(/can be written by all users/));
        assert.match(cacheProblem() ?? "", /can be written by all users/);
    });
});
