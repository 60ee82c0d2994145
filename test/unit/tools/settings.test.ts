import { strict as assert } from "node:assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadUrl, enabledSources, mirrorFolder, packageRoot } from "../../../tools/settings";
import { scratch } from "./scratch";

describe("settings of the tools", () => {
    const { folder, set } = scratch();

    it("asks all sources if nothing is said, and keeps their order whatever order is written", () => {
        assert.deepEqual(enabledSources(""), ["installed", "mirror", "download", "modules"]);
        assert.deepEqual(enabledSources("modules, mirror"), ["mirror", "modules"]);
    });

    it("does not take a misspelt source for none", () => {
        assert.throws(() => enabledSources("mirror,downloads"), /INVALID_INPUT[\s\S]*downloads/);
    });

    it("takes the mirror that was named, then the checkout's, then the one beside it", () => {
        const root = join(folder(), "checkout");
        set("PULUMI_NFV_MIRROR", undefined);
        mkdirSync(root);
        assert.equal(mirrorFolder(root), undefined);
        mkdirSync(join(folder(), "shared", "mirror"), { recursive: true });
        assert.equal(mirrorFolder(root), join(folder(), "shared", "mirror"));
        mkdirSync(join(root, "mirror"));
        assert.equal(mirrorFolder(root), join(root, "mirror"));
        set("PULUMI_NFV_MIRROR", folder());
        assert.equal(mirrorFolder(root), folder());
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
