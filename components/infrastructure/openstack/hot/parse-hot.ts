import { asCall, checkFunctions, versionNames, versions } from "./functions";
import { placeText, templateError } from "./places";
import { readYaml } from "./read-yaml";
import type { Hot, HotOutput, HotParameter, HotResource, Value, ValueMap } from "./types";

const sections = [
    "heat_template_version",
    "description",
    "parameter_groups",
    "parameters",
    "conditions",
    "resources",
    "outputs",
];
const resourceKeys = ["metadata", "deletion_policy", "update_policy", "external_id"];
const parameterTypes = ["string", "number", "comma_delimited_list", "json", "boolean"];

/** Reads a template and checks what one file alone can show. `file` is its name in errors. */
export function parseHot(text: string, file: string): Hot {
    const root = readYaml(text, file);
    if (!isMap(root))
        throw templateError(file, "this is no template: a map is expected", "See docs/heat-templates.md.");
    const version = versionOf(root, file);
    const unknown = Object.keys(root).find(key => !sections.includes(key));
    if (unknown !== undefined) {
        throw templateError(
            placeText(root, unknown),
            `unknown section ${unknown}`,
            `Sections: ${sections.join(", ")}.`,
        );
    }
    const hot: Hot = {
        file,
        version,
        ...(root.description != null ? { description: String(root.description) } : {}),
        ...(root.parameter_groups != null ? { parameterGroups: root.parameter_groups } : {}),
        parameters: entries(root, "parameters", readParameter),
        conditions: section(root, "conditions"),
        resources: entries(root, "resources", readResource),
        outputs: entries(root, "outputs", readOutput),
    };
    const bodies: Value[] = [
        hot.conditions,
        ...Object.values(hot.resources).map(resource => resource.source),
        ...Object.values(hot.outputs).map(output => output.source),
    ];
    for (const body of bodies) {
        checkFunctions(body, version);
        checkReferences(body, hot);
    }
    for (const [name, resource] of Object.entries(hot.resources)) {
        const missing = resource.dependsOn.find(other => !Object.hasOwn(hot.resources, other));
        if (missing !== undefined) {
            const where = placeText(resource.source, "depends_on");
            throw templateError(
                where,
                `${name} depends on ${missing}, which is not there`,
                known("Resources", hot.resources),
            );
        }
    }
    return hot;
}

function versionOf(root: ValueMap, file: string): string {
    const written = root.heat_template_version;
    if (written === undefined || written === null) {
        const other = root.AWSTemplateFormatVersion ?? root.HeatTemplateFormatVersion ?? root.tosca_definitions_version;
        throw templateError(
            file,
            other === undefined
                ? "heat_template_version is missing"
                : "this is no template of Heat's own language (HOT)",
            'Begin the template with a line such as heat_template_version: "2018-08-31".',
        );
    }
    const version = versionNames[String(written)] ?? String(written);
    if (!versions.includes(version)) {
        throw templateError(
            placeText(root, "heat_template_version"),
            `heat_template_version ${version} is not known`,
            `Known: ${versions.join(", ")} and ${Object.keys(versionNames).join(", ")}.`,
        );
    }
    return version;
}

function readParameter(source: ValueMap, name: string): HotParameter {
    const type = String(source.type ?? "");
    if (!parameterTypes.includes(type)) {
        throw templateError(
            placeText(source, "type"),
            `parameter ${name}: ${type ? `type ${type} is not known` : "its type is missing"}`,
            `Types: ${parameterTypes.join(", ")}.`,
        );
    }
    return {
        type,
        ...(source.default === undefined ? {} : { default: source.default }),
        hidden: source.hidden === true || source.hidden === "true",
        source,
    };
}

function readResource(source: ValueMap, name: string): HotResource {
    if (typeof source.type !== "string") {
        throw templateError(placeText(source), `resource ${name}: its type is missing`, "Add a line type: OS::….");
    }
    const properties = source.properties ?? {};
    if (!isMap(properties))
        throw templateError(placeText(source, "properties"), `resource ${name}: properties is no map`);
    const dependsOn = source.depends_on ?? [];
    return {
        type: source.type,
        properties,
        dependsOn: (Array.isArray(dependsOn) ? dependsOn : [dependsOn]).map(String),
        ...(source.condition === undefined ? {} : { condition: source.condition }),
        rest: Object.fromEntries(resourceKeys.filter(key => source[key] != null).map(key => [key, source[key]])),
        source,
    };
}

function readOutput(source: ValueMap, name: string): HotOutput {
    if (source.value === undefined) {
        throw templateError(placeText(source), `output ${name}: its value is missing`, "Add a line value: ….");
    }
    return {
        value: source.value,
        ...(source.description == null ? {} : { description: String(source.description) }),
        ...(source.condition === undefined ? {} : { condition: source.condition }),
        source,
    };
}

/** References must lead to something in the same file. */
function checkReferences(value: Value, hot: Hot): void {
    if (value === null || typeof value !== "object") return;
    const call = asCall(value);
    const target = call && (Array.isArray(call.argument) ? call.argument[0] : call.argument);
    if (call && typeof target === "string") {
        const where = placeText(call.map, call.name);
        if (call.name === "get_param" && !Object.hasOwn(hot.parameters, target) && !target.startsWith("OS::")) {
            throw templateError(
                where,
                `get_param: there is no parameter ${target}`,
                known("Parameters", hot.parameters),
            );
        }
        if ((call.name === "get_attr" || call.name === "get_resource") && !Object.hasOwn(hot.resources, target)) {
            throw templateError(
                where,
                `${call.name}: there is no resource ${target}`,
                known("Resources", hot.resources),
            );
        }
    }
    for (const item of Object.values(value)) checkReferences(item, hot);
}

function known(title: string, names: object): string {
    const list = Object.keys(names);
    return list.length === 0 ? `${title}: none.` : `${title} of this file: ${list.join(", ")}.`;
}

function entries<T>(root: ValueMap, name: string, read: (source: ValueMap, name: string) => T): Record<string, T> {
    const result: Record<string, T> = {};
    for (const [key, source] of Object.entries(section(root, name))) {
        if (!isMap(source)) throw templateError(placeText(root[name], key), `${name}: ${key} is no map`);
        result[key] = read(source, key);
    }
    return result;
}

function section(root: ValueMap, name: string): ValueMap {
    const value = root[name] ?? {};
    if (!isMap(value)) throw templateError(placeText(root, name), `${name} is no map`);
    return value;
}

function isMap(value: Value | undefined): value is ValueMap {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}
