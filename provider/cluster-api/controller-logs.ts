import { NfvError } from "../common/errors";
import type { KubeApi } from "../vim";
import type { IsOwn } from "./own-names";
import type { SeenEvent } from "./workload-seen";

/** A controller that fails again and again waits up to 17 minutes between two attempts. */
const sinceSeconds = 1200;
const lines = 5000;

interface Pod {
    metadata: { name: string; namespace: string };
    spec: { containers: { name: string }[] };
}

/**
 * What controllers wrote about a cluster's objects into their logs: CAPO's words about a wrong flavor or a refused login stand nowhere else,
 * neither in a condition nor in an event. Whoever may not read logs gets a line that says so.
 */
export async function controllerErrors(api: KubeApi, namespace: string, isOwn: IsOwn): Promise<SeenEvent[]> {
    try {
        const pods = await api.get<{ items: Pod[] }>("/api/v1/pods?labelSelector=cluster.x-k8s.io%2Fprovider");
        // The node of one may be off: the others' words count all the same.
        const logs = (pods?.items ?? []).map(pod =>
            logOf(api, pod).then(log => errorsInLog(log, namespace, isOwn), notRead(`pod ${pod.metadata.name}`)),
        );
        return (await Promise.all(logs)).flat();
    } catch (error) {
        return notRead("controllers")(error);
    }
}

const notRead = (object: string) => (error: unknown) => {
    if (!(error instanceof NfvError)) throw error;
    return [{ object, reason: "its log cannot be read", message: error.reason, at: "" }];
};

async function logOf(api: KubeApi, { metadata, spec }: Pod): Promise<string> {
    const container = (spec.containers.find(each => each.name === "manager") ?? spec.containers[0])?.name ?? "";
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/log`;
    const query = new URLSearchParams({
        container,
        sinceSeconds: `${sinceSeconds}`,
        tailLines: `${lines}`,
        timestamps: "true",
    });
    return (await api.text(`${path}?${query}`)) ?? "";
}

/** The newest error of each object of the cluster. */
export function errorsInLog(log: string, namespace: string, isOwn: IsOwn): SeenEvent[] {
    const newest = new Map<string, SeenEvent>();
    for (const line of log.split("\n")) {
        const [at = "", ...rest] = line.split(" ");
        const fields = fieldsOf(rest.join(" "));
        const { err, controllerKind: kind, name = "" } = fields;
        if (typeof err !== "string" || typeof name !== "string" || typeof kind !== "string") continue;
        if (fields["namespace"] !== namespace || !isOwn(kind, name)) continue;
        // Two controllers wrote at once; the next attempt succeeds.
        if (err.includes("the object has been modified")) continue;
        newest.set(`${kind} ${name}`, {
            object: `${kind} ${name}`,
            reason: "in the controller's log",
            message: err,
            at,
        });
    }
    return [...newest.values()];
}

/** `E1126 19:57:16 1 controller.go:474] "Reconciler error" err="…" name="…"`, or with `--logging-format=json` an object. */
function fieldsOf(line: string): Record<string, unknown> {
    if (line.startsWith("{")) return jsonFields(line);
    if (!/^E\d{4} /.test(line)) return {};
    const pairs = line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g);
    return Object.fromEntries(Array.from(pairs, ([, key, value]) => [key, unquoted(value!)]));
}

function jsonFields(line: string): Record<string, unknown> {
    try {
        return JSON.parse(line);
    } catch {
        return {}; // cut off
    }
}

/** Go quotes as JSON does, but for characters that do not print. */
function unquoted(quoted: string): string {
    try {
        return JSON.parse(quoted) as string;
    } catch {
        return quoted.slice(1, -1);
    }
}
