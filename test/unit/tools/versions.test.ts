import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { builtCode, goGroups } from "../../../tools/go-groups";
import { officialSums, rebuiltSums } from "../../../tools/known-sums";
import { packageRoot } from "../../../tools/settings";
import { etcdVersionFor, openstackPlugins, tool, toolNames, versions } from "../../../tools/versions";

describe("the table of versions", () => {
    for (const name of toolNames) {
        it(`${name}: its release files give all of its programs, and their addresses carry the version`, () => {
            const row = tool(name);
            const given = row.releases.flatMap(release =>
                Object.keys(release.contents ?? { [release.program ?? release.file]: "" }),
            );
            assert.deepEqual([...given].sort(), [...row.programs, ...(row.files ?? [])].sort());
            for (const release of row.releases) {
                assert.ok((release.place + release.file).includes(`v${versions[name]}`), release.place);
                assert.match(release.place, row.imagesOnly ? /^$/ : /^[a-z0-9.]+\/.*\/$/);
                assert.ok(release.sha256 === undefined || /^[0-9a-f]{64}$/.test(release.sha256));
            }
        });
    }

    for (const name of toolNames.filter(name => goGroups(name, versions[name]).length > 0)) {
        it(`${name}: what is built from modules is what the release has`, () => {
            const built = goGroups(name, versions[name]).flatMap(group => Object.keys(group.programs));
            const launcher = name === "pulumi" ? ["pulumi-resource-pulumi-nodejs"] : [];
            assert.deepEqual([...built, ...launcher].sort(), [...tool(name).programs].sort());
            const folders = goGroups(name, versions[name]).flatMap(group => Object.keys(group.files?.folders ?? {}));
            assert.deepEqual(folders.sort(), [...(tool(name).files ?? [])].sort());
        });
    }

    it("gives each minor of Kubernetes the etcd that its kubeadm expects, with the Go that it asks for", () => {
        const rows = ["1.31.0", "1.33.13", "1.34.0", "1.36.1", "1.37.2"].map(etcdVersionFor);
        assert.deepEqual(
            rows.map(version => version.replace(/\.\d+$/, "")),
            ["3.5", "3.5", "3.6", "3.6", "3.7"],
        );
        const go = rows.map(version => goGroups("etcd", version)[0]!.goVersion!.replace(/\.\d+$/, ""));
        assert.deepEqual(go, ["1.25", "1.25", "1.25", "1.25", "1.26"]);
    });

    it("has official sums for files of these versions only, each a sum", () => {
        const known = toolNames.flatMap(name => tool(name).releases).filter(release => release.sha256);
        const addresses = known.map(({ place, file }) => place + file);
        assert.deepEqual(
            Object.keys(officialSums).sort(),
            addresses.sort(),
            "a sum whose version is no longer offered",
        );
        const files = toolNames.flatMap(name => tool(name).releases.map(release => release.file));
        const plugins = openstackPlugins.map(version => tool("plugin-openstack", version).releases[0].file);
        for (const file of Object.keys(rebuiltSums)) assert.ok([...files, ...plugins].includes(file), file);
        for (const sum of [...Object.values(officialSums), ...Object.values(rebuiltSums)]) {
            assert.match(sum, /^[0-9a-f]{64}$/);
        }
        assert.equal(tool("kubernetes", "1.33.1").releases.filter(release => release.sha256).length, 0);
    });

    it("is what docs/offline.md tells people to put into a mirror folder", () => {
        const page = readFileSync(join(packageRoot(), "docs", "offline.md"), "utf8");
        const files = toolNames.flatMap(name => tool(name).releases.map(r => r.file));
        assert.deepEqual(
            files.filter(file => !page.includes(`\`${file}\``)),
            [],
        );
    });

    it("builds a plugin under one number only, and says what the code is", () => {
        assert.match(builtCode("plugin-kubernetes", "4.32.0") ?? "", /under the number 4\.32\.0/);
        assert.deepEqual(goGroups("plugin-kubernetes", "4.33.0"), []);
        assert.match(builtCode("plugin-openstack", "3.15.2") ?? "", /the number of 3\.15\.2/);
        assert.deepEqual(goGroups("plugin-openstack", "5.5.1"), []);
    });

    it("stamps Kubernetes with the version of its sources", () => {
        const [group] = goGroups("kubernetes", "1.34.4");
        assert.deepEqual(group.requires, ["k8s.io/kubernetes@v1.34.4"]);
        assert.equal(group.like?.stagingVersion, "v0.34.4");
        assert.ok(group.stamps.includes("k8s.io/component-base/version.gitVersion=v1.34.4"));
    });
});
