import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initConfig, joinConfig, tokenPlaceholder } from "../../../../provider/kubeadm/kubeadm-config";
import { ensureBundle } from "../../../../tools/bundle";
import { versions } from "../../../../tools/versions";
import { nodeSpecs } from "../../../unit/provider/sample-specs";

describe("kubeadm's configuration, read by kubeadm", function () {
    // The first bundle must be compiled.
    this.timeout("40m");
    let kubeadm: string;
    let folder: string;
    before(async () => {
        kubeadm = join(await ensureBundle({ onProgress: text => console.log(`      ${text}`) }), "bin/kubeadm");
        folder = mkdtempSync(join(tmpdir(), "nfv-kubeadm-"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const [name, spec] of Object.entries(nodeSpecs)) {
        it(`is valid for ${name}, strictly`, async () => {
            // kubeadm takes no cluster of another minor than its own and the one before.
            const current = { ...(await spec), kubernetesVersion: versions.kubernetes };
            const join_ = joinConfig(current).replace(tokenPlaceholder, "abcdef.0123456789abcdef");
            for (const text of [initConfig(current), join_]) {
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
