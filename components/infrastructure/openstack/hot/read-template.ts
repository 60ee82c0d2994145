import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readGivenFile } from "../../../../provider/common/given-file";
import { asCall } from "./functions";
import { parseHot } from "./parse-hot";
import { placeText, templateError } from "./places";
import type { Hot, TemplateFiles, Value } from "./types";

/** Limit for the number of files. A template that contains itself is found later, and its cycle is named. */
const maximumFiles = 100;

/**
 * Reads a template and all files that it names from the operator's disk. Nested templates are beside the file that names them, or, as
 * in Tacker's packages, in the folder `nested` of the top template.
 */
export function readTemplate(path: string): TemplateFiles {
    const folder = dirname(path);
    const result: TemplateFiles = { hot: parseHot(textOf(path, undefined), path), nested: {}, files: {} };
    const waiting: Hot[] = [result.hot];
    const paths: Record<string, string> = {};
    for (let hot = waiting.pop(); hot; hot = waiting.pop()) {
        for (const { name, kind, where } of namedFiles(hot)) {
            const found = find(name, dirname(hot.file), folder, where);
            const before = paths[`${kind} ${name}`];
            if (before !== undefined && before !== found) {
                throw templateError(where, `${name} is ${before} in one place and ${found} in another`, "Rename one.");
            }
            if (before !== undefined) continue;
            paths[`${kind} ${name}`] = found;
            if (Object.keys(paths).length > maximumFiles)
                throw templateError(where, "the template names too many files");
            const text = textOf(found, where);
            if (kind === "text") {
                result.files[name] = text;
            } else {
                result.nested[name] = parseHot(text, found);
                waiting.push(result.nested[name]);
            }
        }
    }
    return result;
}

function textOf(path: string, where: string | undefined): string {
    try {
        return readGivenFile(path);
    } catch (error) {
        throw templateError(
            where,
            (error as Error).message,
            "Give the path of a Heat template, or of a file that one names.",
        );
    }
}

interface NamedFile {
    name: string;
    kind: "template" | "text";
    where: string | undefined;
}

/** URLs are not read here; they are refused, with their line, where they are used. */
function namedFiles(hot: Hot): NamedFile[] {
    const found: NamedFile[] = [];
    const walk = (value: Value): void => {
        if (value === null || typeof value !== "object") return;
        const call = asCall(value);
        if (call?.name === "get_file" && typeof call.argument === "string") {
            found.push({ name: call.argument, kind: "text", where: placeText(call.map, "get_file") });
        }
        if (!Array.isArray(value) && typeof value.type === "string" && /\.(?:yaml|yml|template)$/.test(value.type)) {
            found.push({ name: value.type, kind: "template", where: placeText(value, "type") });
        }
        for (const item of Object.values(value)) walk(item);
    };
    for (const resource of Object.values(hot.resources)) walk(resource.source);
    for (const output of Object.values(hot.outputs)) walk(output.source);
    return found.filter(({ name }) => !/^[a-z]+:\/\//.test(name));
}

function find(name: string, beside: string, top: string, where: string | undefined): string {
    const places = [...new Set([beside, top, join(top, "nested")])].map(folder => resolve(folder, name));
    const found = places.find(place => existsSync(place));
    if (found !== undefined) return found;
    throw templateError(where, `the file ${name} was not found`, `Looked for: ${places.join(", ")}.`);
}
