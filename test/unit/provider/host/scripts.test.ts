import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import {
    applyPartScript,
    mountingWorkloadsScript,
    removeCinderCsiScript,
    removeManagerScript,
} from "../../../../provider/cloud-provider/scripts";
import { checkScript } from "../../../../provider/endpoint/keepalived-config";
import { hostSteps } from "../../../../provider/host/host-steps";
import { resetHostScript } from "../../../../provider/host/reset-host";
import { membersScript } from "../../../../provider/kubeadm/look";
import { machineStatusScript } from "../../../../provider/kubeadm/machine-status";
import {
    deleteNodeScript,
    drainScript,
    removeMemberScript,
    resetNodeScript,
} from "../../../../provider/member/leave/leave-scripts";
import { nodeSteps } from "../../../../provider/member/node-steps";
import { podnetManifest, routeMetric } from "../../../../provider/network/podnet";
import { applyManifestScript, spreadCoreDnsScript, waitForNodesScript } from "../../../../provider/network/scripts";
import { sh } from "../../../../provider/shell/script";
import { plan } from "../../../../provider/steps/plan";
import type { Step } from "../../../../provider/steps/types";
import { hostSpecs, nodeSpecs } from "../sample-specs";

function assertParses(script: string, shell = "sh"): void {
    const { status, stderr } = spawnSync(shell, ["-n"], { input: script, encoding: "utf8" });
    assert.equal(status, 0, `${stderr}\n${script}`);
}

function assertSound(steps: Step[]): void {
    for (const step of steps) {
        for (const script of [step.probe, step.refuse, step.run, step.preparation?.run]) {
            if (script === undefined) continue;
            assertParses(script);
            assert.doesNotMatch(script, /undefined|\[object/, step.id);
            // variables in capitals come from env, from the script itself or from the runner
            const given = { ...step.env, ...step.preparation?.env };
            const known = new Set([...Object.keys(given), "PATH", "SECRETS", "KUBECONFIG", "DEBIAN_FRONTEND"]);
            for (const [, name] of script.matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)) {
                assert.ok(known.has(name) || script.includes(`${name}=`), `${step.id} uses $${name}`);
            }
        }
        assert.ok(step.timeoutSeconds > 0);
    }
}

describe("scripts of steps", () => {
    for (const [name, spec] of Object.entries(hostSpecs)) {
        it(`are sound shell for ${name}`, () => assertSound(plan(hostSteps, spec, "key")));
    }
    for (const mode of ["init", "join"] as const) {
        for (const [name, spec] of Object.entries(nodeSpecs)) {
            it(`are sound shell for ${name} that is to ${mode}`, async () =>
                assertSound(plan(nodeSteps(mode), await spec, "key")));
        }
    }

    it("hold no value of the specification", async () => {
        const host = plan(hostSteps, hostSpecs["a master with everything"], "key");
        const node = plan(nodeSteps("join"), await nodeSpecs["a master with everything"], "key");
        for (const { id, run = "", probe = "", preparation } of [...host, ...node]) {
            assert.doesNotMatch(
                run + probe + preparation?.run,
                /pwned|proxy:3128|mirror|10\.0\.0\.|core-1234|m1\b/,
                id,
            );
        }
    });

    it("are sound shell where they are not steps", () => {
        const others = {
            drainScript,
            membersScript,
            removeMemberScript,
            deleteNodeScript,
            resetNodeScript,
            resetHostScript,
        };
        const more = {
            machineStatusScript,
            applyManifestScript,
            applyPartScript,
            mountingWorkloadsScript,
            removeCinderCsiScript,
            removeManagerScript,
            waitForNodesScript,
            spreadCoreDnsScript,
        };
        for (const script of Object.values({ ...others, ...more })) assertParses(script);
        assertParses(checkScript(16444), "bash");
    });

    it("run in the pod network's image, too", () => {
        const documents = parseAllDocuments(
            podnetManifest({ podCidr: "10.244.0.0/16", kubectlPath: "/usr/bin/kubectl" }),
        );
        const map = documents.map(document => document.toJS()).find(({ kind }) => kind === "ConfigMap");
        const program: string = map.data["podnet.sh"];
        assertParses(program);
        assert.deepEqual(
            [...program.matchAll(/ metric (\w+)/g)].map(([, metric]) => Number(metric)),
            Array(3).fill(routeMetric),
        );
    });
});

describe("sh", () => {
    it("takes the common indentation away and keeps the rest", () => {
        assert.equal(
            sh`
            if true; then
                echo "$X"
            fi
        `,
            'if true; then\n    echo "$X"\nfi\n',
        );
    });
});
