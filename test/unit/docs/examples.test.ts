import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as ts from "typescript";
import { parse } from "yaml";
import * as nfv from "../../../components";
import { noTackerSamples, tackerSamples } from "../../../dev/tacker-samples";
import { skipIf } from "../../support/skip";
import { projectRoot } from "../../support/user-project";
import { type Registered, record } from "../components/recorder";
import { sampleCertificate, sampleKey } from "../components/sample-args";
import { type Block, blocksOf, pagesOf } from "./packed-pages";
import { commandProblems } from "./shell-words";

const docs = fs.readdirSync(path.join(projectRoot, "docs")).map(file => `docs/${file}`);
const blocks = pagesOf(["README.md", "examples/README.md", ...docs]).flatMap(blocksOf);
const written = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

const declarations = path.join(projectRoot, "dist/components/index.d.ts");

/** A package of the incumbent: pages refer to its files. */
const incumbent = path.join(tackerSamples, "samples/mgmt_driver/kubernetes/kubernetes_vnf_package");
const certificate = sampleCertificate;

/** Completes a part of a cluster's arguments. */
const surroundings = `kubernetes: { version: "1.36.3" }, pools: { workers: {} }, `;
const machines = `controlPlane: { m1: { address: "10.0.0.11" } }, pools: { workers: { w1: { address: "10.0.0.21" } } }`;
const hosts = `infrastructure: { hosts: { ${machines} } }, `;
const cloud = `infrastructure: { heat: { image: "i", flavor: "f", externalNetwork: "public" } }, `;

/** A page shows a whole program, a program without its import, or a part of a cluster's arguments. */
function programOf({ code }: Block): string {
    if (/^import /m.test(code)) return code;
    const heading = 'import * as nfv from "pulumi-nfv";\n';
    if (/^(?:export )?(?:const|new) /m.test(code)) return heading + code;
    const fitting = /^cloudProvider:/m.test(code) ? cloud : hosts;
    // Without the annotation, a property that a later line overrides would be an error.
    const base = `const base = { ${surroundings}${fitting} };\n`;
    return `${heading}${base}export const core = new nfv.KubernetesCluster("core", { ...base, ${code} });\n`;
}

/** Programs of the Automation API start an engine, and modules of hooks are no programs: they are only compiled here. */
const isOnlyCompiled = (code: string) =>
    /@pulumi\/pulumi\/automation|pulumi-nfv\/pipeline/.test(code) || /\bMgmtDriver\b/.test(code);

/** Runs the program in a process that replaces Pulumi's language host. */
function run(code: string): void {
    const module = { exports: {} as Record<string, unknown> };
    const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
    const { outputText } = ts.transpileModule(code, { compilerOptions: options });
    const load = (name: string) => (name === "pulumi-nfv" ? nfv : require(name));
    new Function("require", "module", "exports", "__dirname", outputText)(load, module, module.exports, process.cwd());
}

/** What a user has set for the programs. */
const settings = {
    backupPassword: "secret",
    backupKey: sampleKey,
    s3AccessKey: "access",
    s3SecretKey: "secret",
    token: "secret",
    firstToken: "secret",
    siteToken: "secret",
    receiver: "secret",
    cloud: "e30=",
};

/** The cloud's answers at a preview. */
const answers = { call: () => ({ id: "id", name: "name", allTags: [] }) };

describe("the examples of the pages", () => {
    let folder: string;
    const startedIn = process.cwd();
    const agent = process.env["SSH_AUTH_SOCK"];

    before(async () => {
        // Inside the project, because its node_modules are searched from there.
        folder = fs.mkdtempSync(path.join(projectRoot, "dist", "pages-"));
        // A user who tries an example has an agent.
        process.env["SSH_AUTH_SOCK"] = path.join(folder, "agent");
        for (const [name, value] of Object.entries(settings)) pulumi.runtime.setConfig(`test:${name}`, value);
        // The first program loads Pulumi's SDK.
        await record("up", () => undefined);
    });
    afterEach(() => process.chdir(startedIn));
    after(() => {
        fs.rmSync(folder, { recursive: true, force: true });
        if (agent === undefined) delete process.env["SSH_AUTH_SOCK"];
        else process.env["SSH_AUTH_SOCK"] = agent;
    });

    it("are there", () => {
        ok(written("ts").length >= 7, `${written("ts").length}`);
        ok(written("sh").length >= 5, `${written("sh").length}`);
        const known = ["ts", "sh", "yaml", "json", "mermaid", ""];
        deepStrictEqual(
            blocks.filter(({ language }) => !known.includes(language)).map(({ place }) => place),
            [],
        );
    });

    it("in TypeScript compile, as strictly as a user may have it", function () {
        // the package's declarations, as a user has them: its sources would take three times as long
        skipIf(this, !fs.existsSync(declarations) && "the package is not built (npx tsc -p .)");
        const files = written("ts").map((block, i) => {
            const file = path.join(folder, `page-${i}.mts`);
            fs.writeFileSync(file, programOf(block));
            return file;
        });
        const options: ts.CompilerOptions = {
            target: ts.ScriptTarget.ES2022,
            module: ts.ModuleKind.ESNext,
            moduleResolution: ts.ModuleResolutionKind.Bundler,
            strict: true,
            noEmit: true,
            skipLibCheck: true,
            types: ["node"],
            typeRoots: [path.join(projectRoot, "node_modules/@types")],
        };
        const compiled = ts.createProgram(files, options);
        const said = files.flatMap((file, i) =>
            ts
                .getPreEmitDiagnostics(compiled, compiled.getSourceFile(file))
                .map(
                    ({ messageText }) =>
                        `${written("ts")[i]!.place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
                ),
        );
        deepStrictEqual(said, []);
    });

    for (const block of written("ts").filter(({ code }) => !isOnlyCompiled(code))) {
        it(`run: ${block.place}`, async function () {
            if (block.code.includes("BaseHOT/")) skipIf(this, noTackerSamples());
            process.chdir(surroundingFiles(block));
            const { resources } = await record("preview", () => run(programOf(block)), answers);
            ok(
                /\b(KubernetesCluster|StorageServer|WorkloadCluster|MovedClusters|Cnf)\b/.test(kinds(resources).join()),
                kinds(resources).join(),
            );
        });
    }

    /** A folder with the files that the page mentions. */
    function surroundingFiles({ place }: Block): string {
        const page = place.split(":")[0]!;
        const beside = fs.mkdtempSync(path.join(folder, "run-"));
        fs.mkdirSync(path.join(beside, "hooks"));
        for (const name of ["audit.sh", "quota.yaml"]) fs.writeFileSync(path.join(beside, "hooks", name), "");
        for (const { code } of blocks.filter(each => each.place.startsWith(`${page}:`))) {
            const [, name] = /^(?:#!.*\n)?(?:#|\/\/) (\S+\.(?:yaml|sh|ts))\b/.exec(code) ?? [];
            if (name) fs.writeFileSync(path.join(beside, name), code);
        }
        fs.mkdirSync(path.join(beside, "manifests"));
        const deployment = {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "upf" },
            spec: { replicas: 1 },
        };
        fs.writeFileSync(path.join(beside, "manifests/upf.yaml"), JSON.stringify(deployment));
        fs.mkdirSync(path.join(beside, "bundle"));
        const providers = ["cluster-api", "bootstrap-kubeadm", "control-plane-kubeadm", "infrastructure-openstack"];
        const file = { kind: "manifest", sha256: "0".repeat(64), sizeBytes: 1, roles: [], version: "v1.13.6" };
        const runtime = { ...file, kind: "runtime", path: "runtime/containerd", roles: ["controlPlane", "worker"] };
        const files = [runtime, ...providers.map(name => ({ ...file, path: `manifests/${name}.yaml` }))];
        for (const name of ["manifests", "runtime"]) fs.mkdirSync(path.join(beside, "bundle", name));
        for (const each of files) fs.writeFileSync(path.join(beside, "bundle", each.path), "");
        const bundle = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.36.3", arch: "amd64", files };
        fs.writeFileSync(path.join(beside, "bundle/manifest.json"), JSON.stringify(bundle));
        fs.writeFileSync(path.join(beside, "clouds.yaml"), "clouds: {openstack: {}}");
        const ofClusterApi = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: { name: site }\n";
        fs.writeFileSync(path.join(beside, "cluster-template.yaml"), ofClusterApi);
        for (const ca of ["site-ca.pem", "first-ca.pem"]) fs.writeFileSync(path.join(beside, ca), certificate);
        if (fs.existsSync(incumbent)) fs.symlinkSync(path.join(incumbent, "BaseHOT"), path.join(beside, "BaseHOT"));
        return beside;
    }

    it("in YAML and JSON can be read", () => {
        ok(written("yaml").length >= 2);
        for (const { code } of written("yaml", "json")) ok(typeof parse(code) === "object");
    });

    it("for a shell are right in their syntax", () => {
        for (const { place, code } of written("sh")) {
            const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
            strictEqual(status, 0, `${place}: ${stderr}`);
        }
    });

    it("for a shell name commands, scripts, packages and settings that exist", () => {
        deepStrictEqual(
            written("sh").flatMap(({ place, code }) => commandProblems(code).map(what => `${place}: ${what}`)),
            [],
        );
    });

    it("for a shell are found wrong by this test, if they are", () => {
        const wrong = [
            "npx nfv bundel --out x",
            "npx nfv bundle --output x",
            "npm run docter",
            "npm run lab -- ssch m1",
            "npm install pulumi-nvf",
            "pulumi preveiw",
            "pulumi config set --secret nfv:privatKey < x",
            "rm -rf /",
        ];
        for (const line of wrong) strictEqual(commandProblems(line).length, 1, line);
    });
});

function kinds(resources: Registered[]): string[] {
    return resources.map(({ type }) => type.split(":").at(-1)!);
}
