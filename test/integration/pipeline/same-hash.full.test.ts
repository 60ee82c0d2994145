import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { PulumiProject } from "../../../dev/pulumi-project";
import { noLookVariable } from "../../../provider/common/no-look";
import { createAuthority } from "../../../provider/identity/certificates";
import { newSshKeyPair } from "../../../provider/openstack/host-key";
import { pulumiEnvironment } from "../../../tools/pulumi-environment";
import type { PluginName } from "../../../tools/versions";
import { firstPlanCanBeApproved } from "../../support/plan-hash";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot, UserProject } from "../../support/user-project";

/** What carries a mark that a preview makes at random, beside the README's own network function. */
const marked = `
new nfv.StorageClasses("classes", { vim: core.vim, server: "10.0.0.30", classes: { files: { export: "/files" } } });
const database = { path: "/data", capacityGiB: 1, accessModes: ["ReadWriteMany"] };
new nfv.PersistentVolumes("volumes", { vim: core.vim, server: "10.0.0.30", volumes: { database } });
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, stringData: { password: "1" } };
new nfv.Cnf("secret", { vim: core.vim, namespace: "upf", objects: [secret] });
`;

const { privateKey } = newSshKeyPair("hash");
const machines = {
    controlPlane: { m1: { address: "10.0.0.11" } },
    pools: { workers: { w1: { address: "10.0.0.21" }, w2: { address: "10.0.0.22" } } },
};
interface Example {
    plugins: PluginName[];
    config: () => Promise<Record<string, string>>;
    secrets: Record<string, string>;
}
const onHosts = (plugins: PluginName[], more: Record<string, string> = {}): Example => ({
    plugins,
    config: async () => ({ "nfv:hosts": JSON.stringify(machines), ...more }),
    secrets: { "nfv:privateKey": privateKey },
});

/** The examples without a cloud; those on one: openstack/stories. */
const examples: Record<string, Example> = {
    "ha-cluster": onHosts(["kubernetes"], { "nfv:vip": "10.0.0.100" }),
    hooks: onHosts(["command"]),
    "persistent-volumes": onHosts([], {
        "nfv:storageAddress": "10.0.0.31",
        "nfv:disk": "/dev/disk/by-id/virtio-data",
    }),
    "existing-cluster-vim": {
        plugins: ["kubernetes"],
        config: async () => ({
            "nfv:endpoint": "https://10.0.0.9:6443",
            "nfv:caCertificate": (await createAuthority("site", 365)).certificate,
            "nfv:image": "registry.site/upf:1",
        }),
        secrets: { "nfv:bearerToken": "t0ken" },
    },
};

/** Real engine and plugins. No machine is there, so none is looked at. */
describe("two first previews of a program have one hash, so the first can be approved:", function () {
    this.timeout("10m");
    const noLook = { [noLookVariable]: "yes" };
    before(function () {
        skipIf(this, notBuilt());
    });

    it("the README's, with more that carries marks", async function () {
        const project = await UserProject.make("hash", "test/integration/pipeline/site-program.js", ["kubernetes"]);
        try {
            skipIf(this, project.lacks);
            const page = readFileSync(join(projectRoot, "README.md"), "utf8");
            const [, program] = /```ts\n(import \* as nfv[\s\S]*?)```/.exec(page)!;
            const text = program!.replace('agent: "env"', `privateKey: ${JSON.stringify(privateKey)}`);
            const web = readFileSync(join(projectRoot, "examples/ha-cluster/manifests/web.yaml"), "utf8");
            const compilerOptions = { module: ts.ModuleKind.CommonJS };
            const { outputText } = ts.transpileModule(`${text}${marked}`, { compilerOptions });
            writeFileSync(join(project.folder, "index.js"), outputText);
            mkdirSync(join(project.folder, "manifests"));
            writeFileSync(join(project.folder, "manifests/upf.yaml"), web.replaceAll("name: web", "name: upf"));
            const plan = { folder: project.folder, stack: "dev", env: { ...project.pulumi.env, ...noLook } };
            firstPlanCanBeApproved(plan);
        } finally {
            project.remove();
        }
    });

    for (const [name, { plugins, config, secrets }] of Object.entries(examples))
        it(`that of examples/${name}`, async function () {
            const folder = join(projectRoot, "examples", name);
            const scratch = mkdtempSync(join(tmpdir(), "nfv-hash-"));
            const state = join(scratch, "state");
            try {
                const { pulumi, env, missingPlugins } = await pulumiEnvironment({ plugins, stateFolder: state });
                for (const plugin of plugins) skipIf(this, missingPlugins[plugin]?.split("\n")[0]);
                const project = await PulumiProject.open({ folder, pulumi, env, state, stack: "hash" });
                await project.setConfig(await config(), secrets);
                const plan = { folder, stack: "hash", env: { ...project.env, ...noLook } };
                firstPlanCanBeApproved(plan);
            } finally {
                rmSync(join(folder, "Pulumi.hash.yaml"), { force: true });
                rmSync(scratch, { recursive: true, force: true });
            }
        });
});
