import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FakeBehaviour } from "../../../testing";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, projectRoot } from "../../support/user-project";
import { type SiteFixture, siteFixture } from "./site-fixture";

const canaries = {
    registryPassword: "canary-registry-5f1d0c",
    proxyPassword: "canary-proxy/80b2e7",
    vimToken: "canaryVim0123456789abcdefToken",
    backupPassword: 'canary backup "4711"',
    s3AccessKey: "CANARYS3ACCESS0123456",
    s3SecretKey: "canary/s3+secret/0123456789abcdef",
    cloudPassword: "canary-cloud-99ab1c",
};

/** Real engine, SSH and command line; on the simulated machines, steps print all secrets. Its larger counterpart: test/e2e/pipeline.full.test.ts. */
describe("secrets in what nfv prints and writes", function () {
    this.timeout("6m");
    asStory(this);
    let fixture: SiteFixture;
    let echo = "";
    const steps: NonNullable<FakeBehaviour["steps"]> = {};

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await siteFixture(1, 1, { masters: 1, workers: 1 }, steps);
        const { args, project } = fixture;
        const { privateKey } = args.infrastructure.hosts.ssh;
        args.registries = {
            "*": { endpoints: ["https://mirror.site:5000"], username: "nfv", password: canaries.registryPassword },
        };
        const login = encodeURIComponent(canaries.proxyPassword);
        args.proxy = { httpsProxy: `http://nfv:${login}@10.99.0.250:3128` };
        fixture.give();
        for (const name of ["vimToken", "backupPassword", "s3AccessKey", "s3SecretKey"] as const)
            await project.pulumi.run(["config", "set", "--secret", name, canaries[name]]);
        const forms = Object.values(canaries).flatMap(each => [
            each,
            Buffer.from(each).toString("base64"),
            JSON.stringify(each),
            encodeURIComponent(each),
        ]);
        const lines = [`login at http://nfv:${login}@10.99.0.250:3128`, ...forms.map(each => `it says ${each} there`)];
        // The last lines of a longer output, so that the key has no beginning.
        echo = [...privateKey.split("\n"), ...lines, ...privateKey.split("\n").slice(3)].join("\n");
    });
    after(() => fixture?.close());

    /** Runs `nfv` with all reports, and looks for secrets in all that came of it. */
    async function nfv(argv: string[], env: Record<string, string> = {}, at?: (line: string) => boolean) {
        const { folder, pulumi } = fixture.project;
        const isRun = argv[0] !== "check";
        const files = isRun ? ["markdown", "junit", "html"].map(kind => join(folder, `report.${kind}`)) : [];
        for (const file of files) rmSync(file, { force: true });
        const reports = files.flatMap(file => [`--${file.split(".").at(-1)}`, file]);
        const whole = [join(projectRoot, "dist/pipeline/nfv.js"), ...argv, "--stack", "dev", ...reports];
        const given = { ...pulumi.env, OS_PASSWORD: canaries.cloudPassword, ...env };
        const child = spawn(process.execPath, whole, { cwd: folder, env: given, stdio: ["ignore", "pipe", "pipe"] });
        let output = "";
        for (const stream of [child.stdout, child.stderr])
            stream.on("data", data => {
                output += data;
                if (at?.(output)) child.kill("SIGTERM");
                if (at?.(output)) at = undefined;
            });
        const code = await new Promise<number | null>(resolve => child.on("close", resolve));
        const written = files.map(file => readFileSync(file, "utf8"));
        for (const text of [output, ...written]) assert.deepEqual(secretsIn(text), [], text.slice(-3000));
        return { code, output, markdown: written[0] ?? "" };
    }

    function secretsIn(text: string): string[] {
        const { privateKey } = fixture.args.infrastructure.hosts.ssh;
        const keyLines = privateKey.split("\n").filter((line: string) => line.length > 30 && !line.includes("-----"));
        const all = [...Object.values(canaries), ...keyLines].flatMap(each => [
            each,
            Buffer.from(each).toString("base64").replace(/=+$/, "").slice(0, -1),
            encodeURIComponent(each),
            JSON.stringify(each).slice(1, -1),
        ]);
        return all.filter(each => text.includes(each));
    }

    it("are not there when a step fails whose output has them, also with Pulumi's debug messages", async () => {
        steps["cluster.join"] = { exitCode: 3, output: echo };
        const { code, output, markdown } = await nfv(["up", "--yes", "--json"], { PULUMI_OPTION_DEBUG: "true" });
        assert.equal(code, 1, output);
        assert.match(output, /"code":"STEP_FAILED".*it says \*\*\* there/);
        assert.match(markdown, /❌ failed[\s\S]*it says \*\*\* there/);
        delete steps["cluster.join"];
    });

    it("are not there when it is stopped", async () => {
        fixture.seconds["node.labels"] = 20;
        steps["node.labels"] = { output: echo };
        const { code, output, markdown } = await nfv(["up", "--yes", "--json"], {}, said => /set labels/.test(said));
        assert.equal(code, 130, output);
        assert.match(markdown, /⏹ stopped/);
        assert.match(output, /"result":"stopped"/);
        fixture.seconds["node.labels"] = 0.01;
    });

    it("are not there when it succeeds", async () => {
        const { code, output } = await nfv(["up", "--yes"]);
        assert.equal(code, 0, output);
        assert.match(output, /succeeded in/);
    });

    it("are not there when a guard refuses it", async () => {
        const { code, output, markdown } = await nfv(["terminate", "--yes", "--forbid-replace", "m1"]);
        assert.equal(code, 4, output);
        assert.match(markdown, /⛔ refused, nothing was changed/);
    });

    it("are not there when the backend's address has one, or a look finds something", async () => {
        const env = { PULUMI_BACKEND_URL: `postgres://nfv:${canaries.cloudPassword}@127.0.0.1:1/state` };
        for (const argv of [["check"], ["up", "--yes"]]) {
            const { code, output } = await nfv(argv, env);
            assert.equal(code, 2, output);
            assert.match(output, /INVALID_INPUT/);
        }
        const { code, output } = await nfv(["check", "--json"]);
        assert.ok([0, 20, 22].includes(code!), output);
    });
});
