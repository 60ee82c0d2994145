import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pulumiEnvironment } from "../../../tools/pulumi-environment";
import { mirrorFolder } from "../../../tools/settings";
import { lackingFiles } from "../../../tools/sources/mirror";
import { tool, versions } from "../../../tools/versions";
import { skipIf } from "../../support/skip";
import { scratch } from "../../unit/tools/scratch";

const mirror = mirrorFolder();
const archive = tool("pulumi").releases[0].file;
const lacking = lackingFiles(mirror, tool("pulumi")) ?? lackingFiles(mirror, tool("plugin-kubernetes"));

describe("the Pulumi environment from a mirror folder", () => {
    const { folder, set } = scratch();

    before(function () {
        skipIf(this, lacking && `${lacking} (needed for: the Pulumi environment)`);
    });

    it("has the pinned CLI, its language host beside it, and the plugins that were asked for", async () => {
        const stateFolder = join(folder(), "state");
        const environment = await pulumiEnvironment({ sources: ["mirror"], plugins: ["kubernetes"], stateFolder });
        const run = (...argv: string[]) => {
            const result = spawnSync(environment.pulumi, argv, { env: environment.env, encoding: "utf8" });
            assert.equal(result.status, 0, result.stderr);
            return result.stdout;
        };
        assert.equal(run("version").trim(), `v${versions.pulumi}`);
        assert.ok(existsSync(join(environment.pulumi, "..", "pulumi-language-nodejs")));
        const plugins: { name: string; version: string }[] = JSON.parse(run("plugin", "ls", "--json"));
        assert.deepEqual(
            plugins.map(plugin => [plugin.name, plugin.version]),
            [["kubernetes", versions["plugin-kubernetes"]]],
        );
        assert.deepEqual(environment.plugins, { kubernetes: versions["plugin-kubernetes"] });
        assert.deepEqual(JSON.parse(run("stack", "ls", "--all", "--json")), []);
        assert.equal(environment.env.PULUMI_BACKEND_URL, `file://${stateFolder}`);
    });

    it("leaves out a plugin that cannot be had, with the reason, and gives the rest", async () => {
        const poor = join(folder(), "mirror");
        mkdirSync(poor);
        for (const file of [archive, "SHA256SUMS"]) {
            symlinkSync(join(mirror as string, file), join(poor, file));
        }
        set("PULUMI_NFV_MIRROR", poor);
        const environment = await pulumiEnvironment({ sources: ["mirror"], plugins: ["kubernetes"] });
        assert.deepEqual(environment.plugins, {});
        assert.match(environment.missingPlugins.kubernetes ?? "", /needed for: Cnf[\s\S]*has no/);
        assert.ok(existsSync(environment.pulumi));
    });
});
