import { strict as assert } from "node:assert";
import { eventually } from "../e2e/cluster-fixture";
import type { CloudFixture } from "./cloud-fixture";

const address = "http://169.254.169.254/openstack/latest/meta_data.json";

/** Fails unless the cloud's metadata service answers the worker itself, and no pod on it. */
export async function metadataIsForTheNodeOnly(fixture: CloudFixture, worker: string): Promise<void> {
    assert.match(await said(fixture, worker, true), new RegExp(`"name": ?"${worker}"`));
    assert.match(await said(fixture, worker, false), /^(wget: .*\n)?closed\n$/);
}

/** What a pod on the worker, with the worker's network or one of its own, hears of the service. */
async function said(fixture: CloudFixture, nodeName: string, hostNetwork: boolean): Promise<string> {
    const name = hostNetwork ? "asks-as-node" : "asks-as-pod";
    const spec = {
        ...{ nodeName, hostNetwork, restartPolicy: "Never", terminationGracePeriodSeconds: 0 },
        containers: [
            {
                name,
                image: "pulumi-nfv.invalid/tools:1",
                command: ["sh", "-c", `wget -q -O - -T 10 ${address} 2>&1 || echo closed`],
            },
        ],
    };
    const pod = ["-n", "default", "run", name, "--image=none", "--restart=Never"];
    await fixture.kubectl(...pod, `--overrides=${JSON.stringify({ apiVersion: "v1", spec })}`);
    const phase = ["-n", "default", "get", "pod", name, "-o", "jsonpath={.status.phase}"];
    await eventually(90, async () => assert.equal(await fixture.kubectl(...phase), "Succeeded"));
    const logs = await fixture.kubectl("-n", "default", "logs", name);
    await fixture.kubectl("-n", "default", "delete", "pod", name, "--wait=false");
    return logs;
}
