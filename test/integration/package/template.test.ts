import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { unpackInto } from "../../support/packed-package";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";
import { TemplateUser } from "./template";

/** npm installs nothing here: the packages lie above the project. The long story installs them: template.full.test.ts. */
describe("a project that `pulumi new` makes of our template, without network", () => {
    let user: TemplateUser;

    before(async function () {
        skipIf(this, notBuilt());
        user = await TemplateUser.make();
        await unpackInto(user.archive, user.folder, "pulumi-nfv");
        const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
        // What npm would install: Pulumi looks for the plugins of all packages that it finds.
        const peers = Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional);
        for (const name of [...Object.keys(dependencies), ...peers, "typescript", "ts-node"]) {
            const at = join(user.folder, "node_modules", name);
            mkdirSync(dirname(at), { recursive: true });
            symlinkSync(join(projectRoot, "node_modules", name), at);
        }
    });
    after(() => user?.remove());

    it("has name, stack and settings as given, the other settings as the template says, and previews a cluster", async () => {
        const given = { controlPlane: "10.1.0.1, 10.1.0.2,10.1.0.3", vip: "10.1.0.9", workers: "10.1.0.4" };
        const made = await user.create("edge", given, manifest => {
            manifest.dependencies = {};
            manifest.devDependencies = {};
        });
        assert.equal(made.exitCode, 0, made.stdout + made.stderr);
        assert.match(made.stdout, /keys of your SSH agent/);
        const read = (file: string) => parse(readFileSync(join(user.folder, "edge", file), "utf8"));
        assert.equal(read("Pulumi.yaml").name, "edge");
        const template = parse(readFileSync(join(user.folder, "template/Pulumi.yaml"), "utf8")).template;
        const defaults = Object.entries(template.config as Record<string, { default: string }>);
        const wanted = { ...Object.fromEntries(defaults.map(([key, { default: value }]) => [key, value])), ...given };
        const { encryptionsalt: _, config } = read("Pulumi.dev.yaml");
        const set = Object.entries(wanted).map(([key, value]) => [`edge:${key}`, String(value)]);
        for (const [key, value] of set) assert.equal(String(config[key!] ?? ""), value, key);
        const { stdout, stderr, exitCode } = await user.preview("edge");
        assert.equal(exitCode, 0, stdout + stderr);
        for (const node of ["m1", "m2", "m3", "w1"]) assert.match(stdout, new RegExp(`nfv:Node core-${node} create`));
        assert.doesNotMatch(stdout, /core-w2/);
        assert.match(stdout, /endpoint *: "https:\/\/10\.1\.0\.9:16443"/);
    });
});
