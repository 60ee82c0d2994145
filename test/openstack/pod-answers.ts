import { strict as assert } from "node:assert";
import { eventually } from "../e2e/cluster-fixture";
import type { CloudFixture } from "./cloud-fixture";

/** Fails unless a pod on the worker answers the API server, through the ports of both servers. */
export async function podAnswersMaster(fixture: CloudFixture, worker: string): Promise<void> {
    await eventually(60, async () => {
        const query = ["-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns", "-o", "json"];
        const pod = JSON.parse(await fixture.kubectl(...query)).items.find(
            (each: any) => each.spec.nodeName === worker,
        );
        const ready = `/api/v1/namespaces/kube-system/pods/${pod?.metadata.name}:8181/proxy/ready`;
        assert.equal((await fixture.kubectl("get", "--raw", ready)).trim(), "OK");
    });
}
