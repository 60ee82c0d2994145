import type { KubernetesObject } from "./manifests";

/** Maps of texts: a label that is null is a label without a value. */
const maps = ["labels", "annotations", "matchLabels", "nodeSelector", "data", "stringData", "binaryData"];

/** Fields of any form: null may be the value. */
const free = ["value", "default", "example", "enum"];

/**
 * An object without its fields that are null. Manifests have such fields where a webhook fills them (`matchLabels:`), or where no value was written
 * (`resources:`); Kubernetes takes them as absent, and Pulumi would see a change in each run. Outputs are left as they are, and so are kinds that are not
 * Kubernetes' own: what null means there is not known.
 */
export function withoutNulls(object: KubernetesObject): KubernetesObject {
    const { apiVersion, kind } = object ?? {};
    if (typeof apiVersion !== "string" || kind === "CustomResourceDefinition") return object;
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    if (group.includes(".") && !/[.-]k8s\.io$/.test(group)) return object;
    return strip(object) as KubernetesObject;
}

function strip(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(strip);
    if (!isPlain(value)) return value;
    const left = Object.entries(value).filter(([key, inner]) => inner !== null || free.includes(key));
    return Object.fromEntries(left.map(([key, inner]) => [key, isKept(key, inner) ? inner : strip(inner)]));
}

const isKept = (key: string, value: unknown) => value === null || maps.includes(key) || free.includes(key);

/** Not an Output, nor anything else that has a class. */
function isPlain(value: unknown): value is Record<string, unknown> {
    return value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
}
