import { strict as assert } from "node:assert";
import * as path from "node:path";
import { eventually, type Fixture, guardedBudget, guardedDeployment } from "./cluster-fixture";
import { apply } from "./cluster-observed";
import { startHttpClient } from "./http-client";
import type { RequestClient } from "./request-client";
import { startWriter, type Writer } from "./writer";

export interface Clients {
    writer: Writer;
    client: RequestClient;
}

/** A network function and its clients, which count from now on. The caller ends them with `endClients`. */
export async function openClients(fixture: Fixture, workers: readonly string[]): Promise<Clients> {
    await serveGuarded(fixture);
    const clients = startClients(fixture, workers);
    await untilCounting(clients);
    return clients;
}

export function endClients(clients: Partial<Clients> | undefined): void {
    clients?.writer?.stop();
    clients?.client?.stop();
}

/** A network function of two replicas on all workers, of which a budget keeps one, and which ends slowly enough for its clients. */
export async function serveGuarded(fixture: Fixture): Promise<void> {
    const pods = structuredClone(guardedDeployment) as any;
    pods.spec.template.spec.containers[0].lifecycle = { preStop: { sleep: { seconds: 3 } } };
    pods.spec.template.spec.terminationGracePeriodSeconds = 10;
    const service = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "guarded" },
        spec: { type: "NodePort", selector: { app: "guarded" }, ports: [{ port: 8080, nodePort: 30080 }] },
    };
    await apply(fixture, pods, guardedBudget(1), service);
    await fixture.kubectl("wait", "--for=condition=Available", "deployment/guarded", "--timeout=120s");
}

/** One writes through the virtual address, one asks the network function on each worker. The caller stops both. */
function startClients({ lab, folder }: Fixture, workers: readonly string[]): Clients {
    return {
        writer: startWriter(lab, path.join(folder, "kubeconfig"), { eachOwn: true }),
        client: startHttpClient(
            lab,
            workers.map(name => `http://${lab.node(name).address}:30080/`),
        ),
    };
}

/** Waits for the first write; what is counted begins then. */
async function untilCounting({ writer, client }: Clients): Promise<void> {
    await eventually(30, async () => assert.ok(writer.since().some(({ by }) => by !== undefined)));
    writer.since();
    client.since();
}
