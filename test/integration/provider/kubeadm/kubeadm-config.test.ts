import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { initConfig, joinConfig, tokenPlaceholder } from "../../../../provider/kubeadm/kubeadm-config";
import { skipIf } from "../../../support/skip";
import { nodeSpecs } from "../../../unit/provider/sample-specs";

/** kubeadm of a bundle that an earlier part of the tests made, or of the system. */
function findKubeadm(): string | undefined {
    const cache =
        process.env["PULUMI_NFV_CACHE"] ??
        join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "pulumi-nfv");
    const bundles = join(cache, "bundles");
    const made = existsSync(bundles) ? readdirSync(bundles).map(name => join(bundles, name, "bin/kubeadm")) : [];
    return [...made, "kubeadm"].find(program => spawnSync(program, ["version"]).status === 0);
}

describe("kubeadm's configuration, read by kubeadm", function () {
    this.timeout(60_000);
    const kubeadm = findKubeadm() ?? "";
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-kubeadm-"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const [name, spec] of Object.entries(nodeSpecs)) {
        it(`is valid for ${name}, strictly`, async function () {
            skipIf(this, !kubeadm && "no kubeadm here; npx nfv bundle makes one");
            const join_ = joinConfig(await spec).replace(tokenPlaceholder, "abcdef.0123456789abcdef");
            for (const text of [initConfig(await spec), join_]) {
                const file = join(folder, "config.yaml");
                writeFileSync(file, text);
                const result: SpawnSyncReturns<string> = spawnSync(kubeadm, ["config", "validate", "--config", file], {
                    encoding: "utf8",
                });
                assert.equal(result.status, 0, result.stderr);
                assert.doesNotMatch(result.stderr, /unknown field/);
            }
        });
    }
});
