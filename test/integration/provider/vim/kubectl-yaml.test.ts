import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hasProgram } from "../../../../tools/run";
import { skipIf } from "../../../support/skip";
import { yamlSamples } from "../../../unit/provider/vim/yaml-samples";

/** `annotate --local` reads its input as `create` does, and asks no cluster. */
function kubectl(text: string): { status: number | null; x: unknown; stderr: string } {
    const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    const { status, stdout, stderr } = spawnSync("kubectl", ["annotate", "--local", "-f", "-", "a=b", "-o", "json"], {
        input: `${head}x:${text}\n`,
        env: { ...process.env, KUBECONFIG: "/dev/null" },
        encoding: "utf8",
    });
    return { status, stderr, x: status === 0 ? JSON.parse(stdout).x : undefined };
}

describe("kubectl itself reads the samples of YAML as we do", () => {
    before(async function () {
        skipIf(this, !(await hasProgram("kubectl")) && "kubectl is missing");
    });

    it("those that it takes", () => {
        const taken = yamlSamples.filter(([, value]) => value !== undefined);
        const { x, stderr } = kubectl(taken.map(([text]) => `\n- ${text}`).join(""));
        assert.deepEqual(
            x,
            taken.map(([, value]) => value),
            stderr,
        );
    });

    for (const [text] of yamlSamples.filter(([, value]) => value === undefined))
        it(`refuses ${text}`, () => assert.notEqual(kubectl(` ${text}`).status, 0));
});
