import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initConfig, joinConfig, tokenPlaceholder } from "../../../../provider/member/join/kubeadm-config";
import { versions } from "../../../../tools/versions";
import { nodeSpecs } from "../../../unit/provider/sample-specs";
import { realKubeadm } from "./real-kubeadm";

describe("kubeadm's configuration, read by kubeadm", function () {
    this.timeout("40m");
    const real = realKubeadm();

    for (const [name, spec] of Object.entries(nodeSpecs)) {
        it(`is valid for ${name}, strictly`, async () => {
            // kubeadm takes no cluster of another minor than its own and the one before.
            const current = { ...(await spec), kubernetesVersion: versions.kubernetes };
            const join_ = joinConfig(current).replace(tokenPlaceholder, "abcdef.0123456789abcdef");
            for (const text of [initConfig(current), join_]) {
                const file = join(real.folder, "config.yaml");
                writeFileSync(file, text);
                const result: SpawnSyncReturns<string> = spawnSync(
                    real.kubeadm,
                    ["config", "validate", "--config", file],
                    {
                        encoding: "utf8",
                    },
                );
                assert.equal(result.status, 0, result.stderr);
                assert.doesNotMatch(result.stderr, /unknown field/);
            }
        });
    }
});
