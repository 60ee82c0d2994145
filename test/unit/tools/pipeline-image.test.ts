import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePipelineImage, projectPackages, systemPlace } from "../../../tools/pipeline-image";
import { scratch } from "./scratch";

describe("making the image for pipelines", () => {
    const { folder } = scratch();
    const write = (files: Record<string, string>) => {
        for (const [name, text] of Object.entries(files)) {
            mkdirSync(dirname(join(folder(), name)), { recursive: true });
            writeFileSync(join(folder(), name), text);
        }
    };
    const plugin = (name: string, version: string) => ({
        [`node_modules/@pulumi/${name}/package.json`]: JSON.stringify({
            version,
            pulumi: { resource: true, name, version: `v${version}` },
        }),
    });

    beforeEach(() =>
        write({
            "node_modules/pulumi-nfv/package.json": '{ "version": "0.1.0" }',
            "node_modules/@pulumi/pulumi/package.json": '{ "version": "3.248.0" }',
            ...plugin("kubernetes", "4.32.0"),
        }),
    );

    it("takes the packages of the project and nothing else of it: no login, no state, no configuration", async () => {
        const secrets = [
            ".npmrc",
            ".env",
            "Pulumi.dev.yaml",
            "node_modules/.package-lock.json",
            "node_modules/.cache/x",
        ];
        write(Object.fromEntries(secrets.map(name => [name, "secret"])));
        write({ "node_modules/.pnpm/a/index.js": "" });
        mkdirSync(join(folder(), "node_modules/.bin"));
        symlinkSync("../pulumi-nfv/dist/pipeline/nfv.js", join(folder(), "node_modules/.bin/nfv"));
        const { content } = await projectPackages(folder());
        deepStrictEqual(Object.keys({ ...content.programs, ...content.files, ...content.links }), [
            "/node_modules/.pnpm/a/index.js",
            "/node_modules/@pulumi/kubernetes/package.json",
            "/node_modules/@pulumi/pulumi/package.json",
            "/node_modules/pulumi-nfv/package.json",
            "/node_modules/.bin/nfv",
        ]);
    });

    it("takes each plugin in the version of the project's package, and says which ones it does not know", async () => {
        write({ ...plugin("openstack", "5.5.1"), ...plugin("random", "4.16.0") });
        const { plugins, otherPlugins, version } = await projectPackages(folder());
        deepStrictEqual(plugins, [
            { name: "kubernetes", version: "4.32.0" },
            { name: "openstack", version: "5.5.1" },
        ]);
        deepStrictEqual([otherPlugins, version], [["@pulumi/random"], "0.1.0"]);
    });

    it("refuses packages that are links to somewhere else, which the image would not have", async () => {
        symlinkSync("/srv/checkout", join(folder(), "node_modules/linked"));
        await rejects(projectPackages(folder()), /INVALID_INPUT[\s\S]*linked → \/srv\/checkout/);
    });

    it("refuses what cannot become an image before it makes anything", async () => {
        write({ "key.pem": "-----BEGIN PRIVATE KEY-----\n", "text.pem": "no certificate\n" });
        const made = (more: object) =>
            makePipelineImage({ project: folder(), out: join(folder(), "image.tar"), ...more });
        await rejects(made({ project: join(folder(), "node_modules") }), /has no pulumi-nfv/);
        await rejects(made({ authorities: join(folder(), "key.pem") }), /private key/);
        await rejects(made({ authorities: join(folder(), "text.pem") }), /no certificate/);
        await rejects(
            made({ authorities: join(folder(), "gone.pem") }),
            /INVALID_INPUT[\s\S]*gone\.pem: there is no such file/,
        );
        await rejects(made({ bundle: folder() }), /INVALID_INPUT|BUNDLE/);
        await rejects(made({ out: join(folder(), "gone/image.tar") }), /there is no folder/);
        for (const name of ["nfv", "nfv:1", "site/nfv:1", "registry.site/nfv", "registry.site/NFV:1"])
            await rejects(made({ name }), /a name with registry and tag/, name);
    });

    it("has files of Debian under merged /usr, licences, and no other documentation", () => {
        deepStrictEqual(["bin/bash", "lib64/ld.so", "usr/bin/git", "etc/services"].map(systemPlace), [
            "/usr/bin/bash",
            "/usr/lib64/ld.so",
            "/usr/bin/git",
            "/etc/services",
        ]);
        strictEqual(systemPlace("usr/share/doc/git/copyright"), "/usr/share/doc/git/copyright");
        ok(["usr/share/doc", "usr/share/doc/git", "usr/share/git-core/templates"].every(systemPlace));
        for (const path of ["usr/share/doc/git/README", "usr/share/man", "usr/share/locale", ".complete.json"])
            strictEqual(systemPlace(path), undefined, path);
    });
});
