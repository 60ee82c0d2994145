import { checkFixedAddresses } from "./fixed-addresses";
import { asCall } from "./functions";
import { parameterTexts } from "./parameters";
import { placeText, templateError } from "./places";
import { rewrite, rewriteCondition } from "./rewrite";
import { flatNames, type Member, type Scope, whereIs } from "./scope";
import type { Hot, HotOutput, TemplateAnswers, Value, ValueMap } from "./types";
import { writeYaml } from "./write-yaml";

type Single = Extract<Member, { kind: "single" }>;

/** What is changed in a server that is a node. */
export interface ServerChange {
    /** Name in Nova. */
    name?: string;
    keyName?: string;
    /** Hidden parameter for its user data. */
    userDataParameter?: string;
    /** Parameter that is written to its metadata. */
    generationParameter: string;
}

/** A server gets its node's name, the cluster's key, and our user data if the template gives none. */
export function serverChange(
    server: Single,
    name: string | undefined,
    answers: { keyName?: string; userData?: boolean },
    of = name,
): ServerChange {
    const free = server.resource.properties.user_data === undefined;
    return {
        generationParameter: `generation_${of}`,
        ...(name === undefined ? {} : { name }),
        ...(answers.keyName === undefined ? {} : { keyName: answers.keyName }),
        ...(answers.userData && free ? { userDataParameter: `user_data_${of}` } : {}),
    };
}

/** Our outputs use functions of this version, and nested templates may contain conditions. */
const minimumVersion = "2016-10-14";

/** The flat template and its parameters. `outputs` are ours; `own` decides about the template's. */
export function emit(
    scope: Scope,
    changes: Map<string, ServerChange>,
    own: Record<string, HotOutput>,
    outputs: Record<string, Value>,
    answers: TemplateAnswers,
): { template: string; parameters: Record<string, string>; hiddenParameters: string[] } {
    const hot = scope.hot;
    const parameters = parameterTexts(hot, answers);
    const resources: ValueMap = {};
    for (const single of allSingles(scope)) {
        if (Object.hasOwn(resources, single.name)) {
            throw templateError(
                placeText(single.resource.source),
                `two resources would be called ${single.name} in the flat template`,
                "Rename one of them.",
            );
        }
        resources[single.name] = resourceOf(single, changes.get(single.name));
    }
    checkFixedAddresses(scope);
    const flatOutputs: ValueMap = {};
    for (const [name, output] of Object.entries(own)) {
        if (dependsOnDropped(output.value, scope)) continue;
        flatOutputs[name] = outputOf(output, scope);
    }
    for (const [name, value] of Object.entries(outputs)) flatOutputs[name] = { value };
    // All conditions in use are known only now.
    const conditions = { ...topConditions(scope), ...Object.fromEntries(scope.world.conditions) };
    const declared: ValueMap = Object.fromEntries(
        Object.entries(hot.parameters).map(([name, parameter]) => [name, parameter.source]),
    );
    const userData = [...changes.values()].flatMap(change => change.userDataParameter ?? []);
    const generations = [...changes.values()].map(change => change.generationParameter);
    for (const name of [...userData, ...generations]) {
        if (Object.hasOwn(declared, name)) {
            throw templateError(placeText(declared[name]), `the parameter ${name} is one of ours`, "Rename it.");
        }
        declared[name] = userData.includes(name) ? { type: "string", hidden: true } : { type: "number", default: 0 };
    }
    const root: ValueMap = {
        heat_template_version: flatVersion(scope),
        ...(hot.description === undefined ? {} : { description: hot.description }),
        ...(hot.parameterGroups === undefined ? {} : { parameter_groups: hot.parameterGroups }),
        parameters: declared,
        ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
        resources,
        outputs: flatOutputs,
    };
    const hidden = Object.keys(hot.parameters).filter(name => hot.parameters[name].hidden);
    return { template: writeYaml(root), parameters, hiddenParameters: [...hidden, ...userData] };
}

/** All resources of the tree that are resources of the flat template, in the order of the files. */
function allSingles(scope: Scope): Single[] {
    return [...scope.members.values()].flatMap(singlesOf);
}

function singlesOf(member: Member): Single[] {
    switch (member.kind) {
        case "single":
            return [member];
        case "template":
            return allSingles(member.scope);
        case "group":
            return member.copies.flatMap(singlesOf);
        default:
            return [];
    }
}

function resourceOf({ resource, scope, type }: Single, change: ServerChange | undefined): Value {
    const written = rewrite(resource.properties, scope) as ValueMap;
    refuseReplacements(type, written, resource);
    const properties = change ? changed(written, change) : written;
    const dependsOn = [...new Set([...flatDependencies(resource.dependsOn, scope), ...inherited(scope)])];
    return {
        type,
        // A group's condition was decided when its copies were made.
        ...(resource.condition === undefined || resource.type !== resource.source.type
            ? {}
            : { condition: rewriteCondition(resource.condition, scope) }),
        ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
        ...(rewrite(resource.rest, scope) as ValueMap),
        ...(Object.keys(properties).length === 0 ? {} : { properties }),
    };
}

/** Heat would replace such a port at every change of the stack, also at one of another resource. */
function refuseReplacements(type: string, properties: ValueMap, resource: Single["resource"]): void {
    const policy = properties["replacement_policy"];
    if (type !== "OS::Neutron::Port" || policy === undefined || policy === "AUTO") return;
    throw templateError(
        whereIs(resource, "replacement_policy"),
        "Heat would make this port again at every change of the stack, and its server would lose its address",
        "Leave replacement_policy out, or write AUTO.",
    );
}

function changed(
    properties: ValueMap,
    { name, keyName, userDataParameter, generationParameter }: ServerChange,
): ValueMap {
    const generation = { "pulumi-nfv.generation": { get_param: generationParameter } };
    const { metadata } = properties;
    const plain = metadata === undefined || (isMap(metadata) && !asCall(metadata));
    return {
        // cloud-init reads user data once, so a new text is for new servers only.
        user_data_update_policy: "IGNORE",
        ...properties,
        // Whatever the template wants: a server rebuilt in place would keep its id, and its loss of data would stay unnoticed.
        image_update_policy: "REPLACE",
        // A resize would stop the machine; a replacement is seen beforehand, and refused.
        flavor_update_policy: "REPLACE",
        ...(name === undefined ? {} : { name }),
        ...(keyName === undefined || properties.key_name !== undefined ? {} : { key_name: keyName }),
        ...(userDataParameter === undefined
            ? {}
            : {
                  user_data_format: "RAW",
                  user_data: { get_param: userDataParameter },
                  // Ours, whatever the template wants for its own.
                  user_data_update_policy: "IGNORE",
              }),
        metadata: plain ? { ...(metadata as ValueMap), ...generation } : { map_merge: [metadata, generation] },
    };
}

function isMap(value: Value | undefined): value is ValueMap {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** depends_on of the resource that stands for a nested template: all resources inside wait. */
function inherited(scope: Scope): string[] {
    if (!scope.parent) return [];
    return [...flatDependencies(scope.parent.resource.dependsOn, scope.parent.scope), ...inherited(scope.parent.scope)];
}

function flatDependencies(names: string[], scope: Scope): string[] {
    return names.flatMap(name => flatNames(scope.members.get(name)!));
}

function topConditions(scope: Scope): ValueMap {
    return Object.fromEntries(
        Object.keys(scope.hot.conditions).map(name => [name, rewrite(scope.hot.conditions[name], scope)]),
    );
}

/** One output that is no text makes the plug-in lose all outputs. */
function outputOf(output: HotOutput, scope: Scope): Value {
    return {
        ...(output.description === undefined ? {} : { description: output.description }),
        ...(output.condition === undefined ? {} : { condition: rewriteCondition(output.condition, scope) }),
        value: asText(rewrite(output.value, scope)),
    };
}

const textFunctions = [
    "list_join",
    "get_resource",
    "digest",
    "str_replace",
    "str_replace_strict",
    "str_replace_vstrict",
];

/** Last words of attributes whose value is text. */
const textAttributes = ["ip_address", "first_address", "floating_ip_address", "name", "mac_address", "cidr"];

/** Heat writes maps and lists as JSON when str_replace puts them into a text. */
export function asText(value: Value): Value {
    const call = asCall(value);
    if (call && textFunctions.includes(call.name)) return value;
    if (call?.name === "get_attr" && textAttributes.includes(String((call.argument as Value[]).at(-1)))) return value;
    if (value === null || typeof value !== "object") return value === null ? "" : String(value);
    return { str_replace: { template: "VALUE", params: { VALUE: value } } };
}

function dependsOnDropped(value: Value, scope: Scope): boolean {
    if (value === null || typeof value !== "object") return false;
    const call = asCall(value);
    const name = call && (Array.isArray(call.argument) ? call.argument[0] : call.argument);
    const refers = (call?.name === "get_attr" || call?.name === "get_resource") && typeof name === "string";
    if (refers && scope.members.get(name)?.kind === "dropped") return true;
    return Object.values(value).some(item => dependsOnDropped(item, scope));
}

/** The newest version that any of the files declares. */
function flatVersion(scope: Scope): string {
    const used = (inner: Scope): Hot[] => [
        inner.hot,
        ...[...inner.members.values()].flatMap(member => hotsOf(member, used)),
    ];
    return used(scope).reduce((newest, hot) => (hot.version > newest ? hot.version : newest), minimumVersion);
}

function hotsOf(member: Member, used: (scope: Scope) => Hot[]): Hot[] {
    if (member.kind === "template") return used(member.scope);
    return member.kind === "group" ? member.copies.flatMap(copy => hotsOf(copy, used)) : [];
}
