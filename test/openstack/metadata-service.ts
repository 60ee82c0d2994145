import { strict as assert } from "node:assert";
import { eventually } from "../e2e/cluster-fixture";
import type { CloudFixture } from "./cloud-fixture";

/**
 * With the node's own python: a static busybox looks up no name in the node's network. Only a refused connection counts as closed: the service's first
 * answer for a server takes half a minute on a busy machine.
 */
const program = `import socket
try: s = socket.create_connection(("169.254.169.254", 80), 10)
except OSError as error: exit(print("closed:", error))
s.settimeout(75)
s.sendall(b"GET /openstack/latest/meta_data.json HTTP/1.0\\r\\nHost: 169.254.169.254\\r\\n\\r\\n")
while part := s.recv(65536): print(part.decode(), end="")`;

/** Fails unless the cloud's metadata service answers the worker itself, and no pod on it. */
export async function metadataIsForTheNodeOnly(fixture: CloudFixture, worker: string): Promise<void> {
    assert.match(await said(fixture, worker, true), new RegExp(`"name": ?"${worker}"`));
    assert.match(await said(fixture, worker, false), /^closed: /);
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
                command: ["chroot", "/node", "python3", "-c", program],
                volumeMounts: [{ name: "node", mountPath: "/node", readOnly: true }],
            },
        ],
        volumes: [{ name: "node", hostPath: { path: "/" } }],
    };
    const pod = ["-n", "default", "run", name, "--image=none", "--restart=Never"];
    await fixture.kubectl(...pod, `--overrides=${JSON.stringify({ apiVersion: "v1", spec })}`);
    const phase = ["-n", "default", "get", "pod", name, "-o", "jsonpath={.status.phase}"];
    await eventually(150, async () => assert.equal(await fixture.kubectl(...phase), "Succeeded"));
    const logs = await fixture.kubectl("-n", "default", "logs", name);
    await fixture.kubectl("-n", "default", "delete", "pod", name, "--wait=false");
    return logs;
}
