import * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "./manifests";

/** Shorter texts occur everywhere by chance. */
const shortest = 3;

/** The texts within secret values, and how templates write them: as they are, and in base64. */
export function secretTexts(values: readonly unknown[]): string[] {
    const leaves = values.flatMap(leavesOf).filter(text => text.length >= shortest);
    return [...new Set(leaves.flatMap(text => [text, Buffer.from(text).toString("base64")]))];
}

function leavesOf(value: unknown): string[] {
    if (value === null || value === undefined || typeof value === "boolean") return [];
    if (typeof value === "object") return Object.values(value).flatMap(leavesOf);
    return [String(value)];
}

/** Without these an object cannot be registered, and Pulumi does not take secrets there. */
const plainFields = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);

/** An object of a chart in which each text that contains a secret of the chart's values is secret. */
export function withSecrets(object: KubernetesObject, texts: readonly string[]): KubernetesObject {
    if (texts.length === 0) return object;
    const marked = (value: unknown, path: string): unknown => {
        if (plainFields.has(path)) return value;
        if (typeof value === "string" || typeof value === "number") {
            return texts.some(text => String(value).includes(text)) ? pulumi.secret(value) : value;
        }
        if (Array.isArray(value)) return value.map((each, i) => marked(each, `${path}.${i}`));
        if (value === null || typeof value !== "object") return value;
        return Object.fromEntries(
            Object.entries(value).map(([key, each]) => [key, marked(each, path === "" ? key : `${path}.${key}`)]),
        );
    };
    return marked(object, "") as KubernetesObject;
}
