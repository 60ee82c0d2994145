import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { levels, projectRoot } from "../../../dev/levels";

/** Imports as "FROM > TO", without the extension, and the rule that refuses each; "": it is allowed. */
const cases: Record<string, string> = {
    "components/vim/vim > provider/common/model": "",
    "provider/common/errors > components/args/vim-args": "provider",
    "lab/node > provider/ssh/dial": "lab",
    "provider/steps/plan > testing/fake": "provider",
    "dev/start > test/support/skip": "dev",
    "provider/node/a-step > provider/endpoint/side-by-side": "",
    "provider/endpoint/haproxy > provider/node/another-step": "provider/endpoint",
    "provider/network/manifests > provider/kubeadm/paths": "provider/network",
    "provider/steps/runner > provider/kubeadm/paths": "provider/steps",
    "provider/shell/script > provider/steps/types": "provider/shell",
    "provider/member/leave/leave > provider/host/reset-host": "provider/member",
    "provider/kubeadm/join > provider/index": "provider/kubeadm",
    "provider/cluster/start > provider/member/node": "",
    "provider/common/cidr > provider/ssh/quote": "provider/common",
    "provider/unlisted/file > provider/more-errors": "provider/: folder without a row",
    "components/infrastructure/openstack/heat/a-stack > components/validation/rules": "components/infrastructure",
    "components/infrastructure/hosts/member > components/kubernetes-cluster/plan": "components/infrastructure",
    "components/infrastructure/hosts/some > components/infrastructure/openstack/cloud":
        "components/infrastructure/hosts",
    "components/infrastructure/openstack/nova/port > components/infrastructure/openstack/heat/part":
        "components/infrastructure/openstack/nova",
    "components/infrastructure/openstack/nova/server > components/args/args": "",
    "components/kubernetes-cluster/part > components/infrastructure/machine": "",
    "tools/oci/layers > tools/sources/mirror": "tools/oci",
};

describe("the imports of the sources", () => {
    let folder: string;
    let found: string[];

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-imports-"));
        const write = (name: string, text: string) => {
            mkdirSync(dirname(join(folder, name)), { recursive: true });
            writeFileSync(join(folder, name), text, { flag: "a" });
        };
        for (const pair of Object.keys(cases)) {
            const [from, to] = pair.split(" > ");
            const place = relative(dirname(from), to);
            // a type import counts, too
            write(`${from}.ts`, `export type { Some } from "${place.startsWith(".") ? place : `./${place}`}";\n`);
            write(`${to}.ts`, "export type Some = string;\n");
        }
        write("components/egg.ts", 'import { hen } from "./hen";\nexport const egg = () => hen;\n');
        write("components/hen.ts", 'import { egg } from "./egg";\nexport const hen = () => egg;\n');
        write("node_modules/@pulumi/pulumi/package.json", '{ "name": "@pulumi/pulumi", "main": "index.js" }');
        write("node_modules/@pulumi/pulumi/index.js", "");
        write("provider/vim/client.ts", 'import "@pulumi/pulumi";\n');
        write("provider/adapters/dynamic.ts", 'import "@pulumi/pulumi";\n');
        write("package.json", '{ "dependencies": { "@pulumi/pulumi": "*" } }');
        const config = join(projectRoot, ".dependency-cruiser.cjs");
        const program = join(projectRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
        const areas = readdirSync(folder).filter(name => !/^(node_modules|package)/.test(name));
        const argv = [program, "--config", config, "--output-type", "json", ...areas];
        const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: "utf8" });
        assert.ok(stdout.startsWith("{"), stderr);
        const { violations } = JSON.parse(stdout).summary as {
            violations: { from: string; to: string; rule: { name: string } }[];
        };
        found = violations.map(({ from, to, rule }) => `${from} > ${to}: ${rule.name}`.replaceAll(".ts", "")).sort();
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it("are refused where the table does not have them, by the rule of the folder that has the import", () => {
        const expected = Object.entries(cases).flatMap(([pair, rule]) => (rule === "" ? [] : [`${pair}: ${rule}`]));
        assert.deepEqual(
            found.filter(each => !/circle|Pulumi/.test(each)),
            expected.sort(),
        );
    });

    it("make no circle", () => {
        assert.deepEqual(
            found.filter(each => each.endsWith("circle")),
            ["components/egg > components/hen: circle"],
        );
    });

    it("of scripts make no circle between rooms either", () => {
        const folder = join(projectRoot, "provider");
        const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(name => name.endsWith(".sh"));
        const pairs = scripts.flatMap(name =>
            [...readFileSync(join(folder, name), "utf8").matchAll(/^\s*\. (\S+)\/\S+\.sh$/gm)].map(([, place]) =>
                [name, place!].map(each => each.split("/")[0]!),
            ),
        );
        const below = (room: string) =>
            new Set(pairs.flatMap(([from, to]) => (from === room && to !== room ? [to!] : [])));
        const isBelow = (room: string, from: string): boolean =>
            [...below(from)].some(each => each === room || isBelow(room, each));
        assert.ok(below("etcd").has("member"));
        assert.deepEqual(
            [...new Set(pairs.flat())].filter(room => isBelow(room, room)),
            [],
        );
    });

    it("name Pulumi in the provider's adapters only", () => {
        assert.deepEqual(
            found.filter(each => each.endsWith("no Pulumi")),
            ["provider/vim/client > node_modules/@pulumi/pulumi/index.js: no Pulumi"],
        );
    });

    it("are looked at by npm test as by npm run lint, in all folders of the sources", () => {
        const { scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const commands = levels.find(({ name }) => name === "lint")!.command!;
        const words = commands.map(({ argv: [program, ...rest] }) => [program.split("/").pop(), ...rest].join(" "));
        assert.equal(words.join(" && "), scripts.lint);
        const { include } = JSON.parse(readFileSync(join(projectRoot, "tsconfig.json"), "utf8"));
        const looked = words
            .find(each => each.startsWith("depcruise"))!
            .split(" ")
            .slice(1);
        assert.deepEqual([...looked].sort(), [...include, "examples"].sort());
    });
});
