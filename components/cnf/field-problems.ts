import * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../provider/common/did-you-mean";
import { apiTypes, type FieldType, typeName } from "./api-types";
import { isQuantity, wrongValues } from "./field-values";
import type { KubernetesObject } from "./manifests";
import { unrendered } from "./value-problems";

/** Whole numbers of these fields have 64 bits, all others 32. */
const long = new Set([
    ...["activeDeadlineSeconds", "deletionGracePeriodSeconds", "expirationSeconds", "fsGroup", "generation"],
    ...["observedGeneration", "runAsGroup", "runAsUser", "supplementalGroups", "terminationGracePeriodSeconds"],
    ...["tolerationSeconds", "pauseSeconds"],
]);
const largest = 2 ** 31 - 1;

interface Place {
    path: string;
    /** Name of the field; of the list or map around a value. */
    name: string;
    isQuantity: boolean;
    /** What a Secret holds is not shown. */
    isSecret: boolean;
}

/**
 * What the API's own types say of an object of a kind that comes with Kubernetes: unknown fields, which the API would drop in silence, wrong types, values that
 * a field does not take. What is missing the API says itself. Pure.
 */
export function fieldProblems(object: KubernetesObject): string[] {
    const type = typeName(object.apiVersion, object.kind);
    if (!apiTypes().has(type)) return [];
    // The API sets it; whoever exports an object has it in the text.
    const { status: _, ...wanted } = object;
    return problemsOfFields(wanted, type, "");
}

function problemsOfFields(object: Record<string, unknown>, type: string, path: string): string[] {
    const fields = apiTypes().get(type);
    if (fields === undefined) return [];
    const known = [...fields.keys()];
    const given = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
    return given.flatMap(([name, value]) => {
        const field = fields.get(name);
        if (field === undefined)
            return [`${at(path, name)}: @pulumi/kubernetes as installed knows no such field${didYouMean(name, known)}`];
        const full = `${type}.${name}`;
        const isSecret = type === typeName("v1", "Secret");
        const place = { path: at(path, name), name, isQuantity: isQuantity(full), isSecret };
        const ofType = problemsOf(value, field, place);
        return ofType.length > 0 ? ofType : wrongValues(full, value, place.path);
    });
}

const at = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function problemsOf(value: unknown, { alternatives }: FieldType, place: Place): string[] {
    // Outputs are checked by the API.
    if (value === null || value === undefined || pulumi.Output.isInstance(value)) return [];
    const tries = alternatives.map(each => problemsOfOne(value, each, place));
    return tries.find(problems => problems.length === 0) ?? tries[0]!;
}

function problemsOfOne(value: unknown, type: FieldType["alternatives"][number], place: Place): string[] {
    const isMap = typeof value === "object" && !Array.isArray(value);
    if ("listOf" in type) {
        if (!Array.isArray(value)) return [wrong(value, "a list", place)];
        return value.flatMap((each, i) => problemsOf(each, type.listOf, { ...place, path: `${place.path}.${i}` }));
    }
    if ("mapOf" in type) {
        if (!isMap) return [wrong(value, "a map", place)];
        return Object.entries(value as object).flatMap(([key, each]) =>
            problemsOf(each, type.mapOf, { ...place, path: `${place.path}.${key}` }),
        );
    }
    if ("fields" in type) {
        // A time, a quantity or other fields that the schema does not open.
        if (!apiTypes().has(type.fields)) return [];
        if (!isMap) return [wrong(value, "a map", place)];
        return problemsOfFields(value as Record<string, unknown>, type.fields, place.path);
    }
    return scalarProblems(value, type.scalar, place);
}

function scalarProblems(value: unknown, scalar: "string" | "number" | "boolean" | "any", place: Place): string[] {
    if (scalar === "any") return [];
    if (scalar === "string" && typeof value === "number" && place.isQuantity) return [];
    if (typeof value !== scalar) {
        const template = unrendered(value);
        if (template !== undefined) return [`${place.path}: ${template}`];
        const example = place.isSecret ? "" : `: "${value}"`;
        const quoted =
            scalar === "string" && typeof value !== "object"
                ? `; write it in quotes${example}`
                : scalar === "number" && /^\d+$/.test(String(value))
                  ? `; write it without quotes: ${value}`
                  : "";
        return [`${wrong(value, words[scalar], place)}${quoted}`];
    }
    if (typeof value !== "number") return [];
    if (!Number.isInteger(value)) return [`${place.path}: ${value} is no whole number`];
    if (Math.abs(value) > largest && !long.has(place.name))
        return [`${place.path}: ${value} is out of range: at most ${largest}`];
    return [];
}

const words = { string: "text", number: "a number", boolean: "true or false" };

function wrong(value: unknown, wanted: string, { path, isSecret }: Place): string {
    const scalar = isSecret ? words[typeof value as keyof typeof words] : JSON.stringify(value);
    const is = Array.isArray(value) ? "a list" : typeof value === "object" ? "a map" : scalar;
    return `${path}: is ${is}, must be ${wanted}`;
}
