import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { images as cloudImages } from "../../../provider/cloud-provider/images";
import { managerImages } from "../../../provider/cluster-api/images";
import { nfsCsiImages } from "../../../provider/nfs-csi/images";
import { snapshotImages } from "../../../provider/snapshots/images";
import { versions } from "../../../tools/versions";
import { projectRoot } from "../../support/user-project";
import { pagesOf } from "./packed-pages";

const manifest = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8"));
const docs = readdirSync(path.join(projectRoot, "docs")).map(file => `docs/${file}`);
const pages = pagesOf(["README.md", "examples/README.md", ...docs]);

/** The versions that the tools take; the plugin of an npm package has the same version as the package. */
const pinned: Record<string, string> = {
    "@pulumi/pulumi": manifest.devDependencies["@pulumi/pulumi"],
    "@pulumi/kubernetes": versions["plugin-kubernetes"],
    "@pulumi/openstack": versions["plugin-openstack"],
    "@pulumi/command": versions["plugin-command"],
};

/** All places of the pages that match, with the version that they give and the one that they should. */
function places(pattern: RegExp, wanted: (match: RegExpMatchArray) => string | undefined) {
    return pages.flatMap(({ file, text }) =>
        [...text.matchAll(pattern)].map(match => ({
            place: `${file}: ${match[0]}`,
            given: match.groups?.["version"],
            wanted: wanted(match),
        })),
    );
}

function areRight(found: ReturnType<typeof places>, atLeast: number): void {
    ok(found.length >= atLeast, `${found.length}`);
    deepStrictEqual(
        found.filter(({ given, wanted }) => given !== wanted),
        [],
    );
}

describe("the versions in the pages", () => {
    it("are those of the package itself: what it is tested with is what its tools take", () => {
        for (const name of ["kubernetes", "openstack", "command"] as const)
            strictEqual(manifest.devDependencies[`@pulumi/${name}`], versions[`plugin-${name}`], name);
    });

    it("pin each npm package of Pulumi that a user installs to the version whose plugin a mirror folder has", () => {
        const lines = pages.flatMap(({ file, text }) =>
            [...text.matchAll(/npm install [^\n`]*/g)].map(([line]) => ({ file, line })),
        );
        ok(lines.length >= 5, `${lines.length}`);
        const words = lines.flatMap(({ file, line }) =>
            [...line.matchAll(/(@pulumi\/\w+)(?:@(\S+))?/g)].map(([, name, version]) => ({ file, name, version })),
        );
        ok(words.length >= 8, `${words.length}`);
        deepStrictEqual(
            words.filter(({ name, version }) => version !== pinned[name!]),
            [],
        );
    });

    it("install the plugins of these versions", () => {
        const install = /pulumi plugin install resource (?<name>\w+) v?(?<version>[\d.]+)/g;
        areRight(
            places(install, ({ groups }) => pinned[`@pulumi/${groups?.["name"]}`]),
            2,
        );
        const archive = /pulumi-resource-(?<name>kubernetes|openstack)-v(?<version>[\d.]+)-linux/g;
        areRight(
            places(archive, ({ groups }) => pinned[`@pulumi/${groups?.["name"]}`]),
            4,
        );
    });

    it("unpack the Pulumi, and install the package, of these versions", () => {
        areRight(
            places(/pulumi-v(?<version>[\d.]+)-linux/g, () => versions.pulumi),
            2,
        );
        areRight(
            places(/pulumi-nfv-(?<version>\d+\.\d+\.\d+)\.tgz/g, () => manifest.version),
            2,
        );
    });

    it("make bundles of the Kubernetes that the tools know", () => {
        areRight(
            places(/nfv bundle --kubernetes (?<version>\d[\d.]+)/g, () => versions.kubernetes),
            1,
        );
    });

    it("of the add-ons' images are those that the objects name", () => {
        const { text } = pages.find(({ file }) => file === "docs/offline.md")!;
        const sidecars = Object.values(cloudImages).flatMap(each =>
            "version" in each ? [`${each.name}:${each.version}`] : [each.name],
        );
        const wanted = [...Object.values(nfsCsiImages), ...Object.values(snapshotImages), ...sidecars];
        const given = [...text.matchAll(/`((?:sig-storage|provider-os)\/[^`]+)`/g)].map(([, image]) => image);
        deepStrictEqual([...new Set(given)].sort(), [...new Set<string>(wanted)].sort());
        const managers = [...text.matchAll(/`((?:cluster-api|capi-openstack)\/[^`]+:[^`]+)`/g)].map(
            ([, image]) => image,
        );
        const core = `v${versions["cluster-api"]}`;
        deepStrictEqual(
            managers.sort(),
            Object.entries(managerImages)
                .map(([key, image]) =>
                    key === "openstack" ? `${image}:v${versions["cluster-api-openstack"]}` : `${image}:${core}`,
                )
                .sort(),
        );
    });
});
