import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { openSite } from "../../../pipeline";
import { newSshKeyPair } from "../../../provider/openstack/host-key";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, projectRoot, UserProject } from "../../support/user-project";

/** What carries a mark that a preview makes at random, beside the README's own network function. */
const marked = `
new nfv.StorageClasses("classes", { vim: core.vim, server: "10.0.0.30", classes: { files: { export: "/files" } } });
const database = { path: "/data", capacityGiB: 1, accessModes: ["ReadWriteMany"] };
new nfv.PersistentVolumes("volumes", { vim: core.vim, server: "10.0.0.30", volumes: { database } });
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, stringData: { password: "1" } };
new nfv.Cnf("secret", { vim: core.vim, namespace: "upf", objects: [secret] });
`;

/** Real engine and plugins. No machine answers: the first preview asks none. */
describe("two first previews of the README's program, and more that carries marks", function () {
    this.timeout("10m");
    asStory(this);
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        project = await UserProject.make("hash", "test/integration/pipeline/site-program.js", ["kubernetes"]);
        skipIf(this, project.lacks);
        const page = readFileSync(join(projectRoot, "README.md"), "utf8");
        const [, program] = /```ts\n(import \* as nfv[\s\S]*?)```/.exec(page)!;
        const text = program!.replace(
            'agent: "env"',
            `privateKey: ${JSON.stringify(newSshKeyPair("hash").privateKey)}`,
        );
        const web = readFileSync(join(projectRoot, "examples/ha-cluster/manifests/web.yaml"), "utf8");
        const compilerOptions = { module: ts.ModuleKind.CommonJS };
        const { outputText } = ts.transpileModule(`${text}${marked}`, { compilerOptions });
        writeFileSync(join(project.folder, "index.js"), outputText);
        mkdirSync(join(project.folder, "manifests"));
        writeFileSync(join(project.folder, "manifests/upf.yaml"), web.replaceAll("name: web", "name: upf"));
    });
    after(() => project?.remove());

    it("have one hash, so the first can be approved", async () => {
        const site = await openSite({ stack: "dev", folder: project.folder, env: project.pulumi.env });
        const plan = async () => (await site.instantiate({ previewOnly: true })).plan;
        const [one, other] = [await plan(), await plan()];
        assert.ok(one.resources.some(({ name }) => name === "upf/Deployment/upf/upf"));
        assert.equal(one.hash, other.hash);
    });
});
