import { strict as assert } from "node:assert";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadUrl, enabledSources, ignoredMirror, mirrorFolder, packageRoot } from "../../../tools/settings";
import { skipIf } from "../../support/skip";
import { scratch } from "./scratch";

describe("settings of the tools", () => {
    const { folder, set } = scratch();

    it("asks all sources if nothing is said, and keeps their order whatever order is written", () => {
        assert.deepEqual(enabledSources(""), ["installed", "mirror", "download", "modules"]);
        assert.deepEqual(enabledSources("modules, mirror"), ["mirror", "modules"]);
    });

    it("does not take a misspelt source for none", () => {
        assert.throws(() => enabledSources("mirror,downloads"), /INVALID_INPUT[\s\S]*names downloads; known are/);
        for (const text of [",", " ", "mirror,"])
            assert.throws(
                () => enabledSources(text),
                /INVALID_INPUT[\s\S]*PULUMI_NFV_SOURCES is ".*": a name is empty/,
            );
    });

    it("takes the mirror that was named, then the checkout's, then the one beside it", () => {
        const root = join(folder(), "checkout");
        set("PULUMI_NFV_MIRROR", undefined);
        mkdirSync(join(root, ".git"), { recursive: true });
        assert.equal(mirrorFolder(root), undefined);
        mkdirSync(join(folder(), "shared", "mirror"), { recursive: true });
        assert.equal(mirrorFolder(root), join(folder(), "shared", "mirror"));
        mkdirSync(join(root, "mirror"));
        assert.equal(mirrorFolder(root), join(root, "mirror"));
        assert.equal(ignoredMirror(root), undefined);
        set("PULUMI_NFV_MIRROR", folder());
        assert.equal(mirrorFolder(root), folder());
    });

    describe("do not take a mirror folder that nobody has named", () => {
        const root = () => join(folder(), "checkout");
        const beside = () => join(folder(), "shared", "mirror");
        beforeEach(() => {
            set("PULUMI_NFV_MIRROR", undefined);
            mkdirSync(join(root(), "dev"), { recursive: true });
            mkdirSync(beside(), { recursive: true });
            assert.equal(mirrorFolder(root()), beside());
        });
        const ignored = (why: string) => {
            assert.equal(mirrorFolder(root()), undefined);
            assert.equal(ignoredMirror(root()), `${beside()} is not taken: ${why}`);
            set("PULUMI_NFV_MIRROR", beside());
            assert.equal(mirrorFolder(root()), beside());
            assert.equal(ignoredMirror(root()), undefined);
        };

        it("where this package is installed: there it lies among folders of anybody", () => {
            rmSync(join(root(), "dev"), { recursive: true });
            ignored("this package is installed, no checkout");
        });

        for (const mode of [0o775, 0o757])
            it(`where others may write into it: ${mode.toString(8)}`, () => {
                chmodSync(beside(), mode);
                ignored("others than its owner may write there");
            });

        it("where it is another user's", function () {
            skipIf(this, process.getuid?.() !== 0 && "only root gives folders to others");
            chownSync(beside(), 65534, 65534);
            ignored("it belongs to user 65534, not to user 0 or root");
        });
    });

    it("says so if the mirror that was named is not there", () => {
        set("PULUMI_NFV_MIRROR", join(folder(), "nowhere"));
        assert.throws(() => mirrorFolder(folder()), /INVALID_INPUT[\s\S]*nowhere/);
    });

    it("refuses a file in place of the mirror folder, such as one of its archives", () => {
        const file = join(folder(), "SHA256SUMS");
        writeFileSync(file, "");
        set("PULUMI_NFV_MIRROR", file);
        assert.throws(() => mirrorFolder(folder()), /INVALID_INPUT[\s\S]*SHA256SUMS is not a folder/);
    });

    it("keeps upstream's host as the first part of the path on another server", () => {
        set("PULUMI_NFV_DOWNLOAD_BASE", undefined);
        assert.equal(downloadUrl("dl.k8s.io/release/x").href, "https://dl.k8s.io/release/x");
        set("PULUMI_NFV_DOWNLOAD_BASE", "https://proxy.site/files/");
        assert.equal(downloadUrl("dl.k8s.io/release/x").href, "https://proxy.site/files/dl.k8s.io/release/x");
    });

    it("refuses a server that is not written as an address", () => {
        for (const base of ["proxy.site/files", "ftp://proxy.site/files", "/srv/mirror"]) {
            set("PULUMI_NFV_DOWNLOAD_BASE", base);
            assert.throws(() => downloadUrl("dl.k8s.io/release/x"), /INVALID_INPUT[\s\S]*"\S+" is not .* https:/);
        }
        set("PULUMI_NFV_DOWNLOAD_BASE", "site:secret@proxy.site/files");
        assert.throws(
            () => downloadUrl("dl.k8s.io/release/x"),
            ({ message }) => message.includes('"proxy.site/files"') && !/site:|secret/.test(message),
        );
    });

    it("finds the package's folder from anywhere in it", () => {
        const root = packageRoot();
        assert.equal(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name, "pulumi-nfv");
        assert.equal(packageRoot(join(root, "dist", "tools", "sources")), root);
    });
});
