import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as ts from "typescript";

/** Turns the interfaces that users write into the package's Pulumi schema. `npx tsx components/schema/write.ts` writes it. */

/** The sources are read, also by the compiled program. */
const folder = path.join(packageRoot(__dirname), "components");

function packageRoot(from: string): string {
    return existsSync(path.join(from, "package.json")) ? from : packageRoot(path.dirname(from));
}

/** All that users write. */
export const sources = readdirSync(path.join(folder, "args")).map(name => `args/${name}`);

/** Resource → its arguments, and the file of its class. */
const resources: Record<string, { args: string; file: string }> = {
    KubernetesCluster: { args: "KubernetesClusterArgs", file: "kubernetes-cluster/kubernetes-cluster.ts" },
    Vim: { args: "VimArgs", file: "vim/vim.ts" },
    Cnf: { args: "CnfArgs", file: "cnf/cnf.ts" },
    PersistentVolumes: { args: "PersistentVolumesArgs", file: "storage/persistent-volumes.ts" },
    StorageClasses: { args: "StorageClassesArgs", file: "storage/storage-classes.ts" },
    StorageServer: { args: "StorageServerArgs", file: "storage/storage-server.ts" },
    ManagementCluster: { args: "ManagementClusterArgs", file: "cluster-api/management-cluster.ts" },
    WorkloadCluster: { args: "WorkloadClusterArgs", file: "cluster-api/workload-cluster.ts" },
    MovedClusters: { args: "MovedClustersArgs", file: "cluster-api/moved-clusters.ts" },
};

export interface Property {
    type?: string;
    $ref?: string;
    description?: string;
    items?: Property;
    additionalProperties?: Property;
    oneOf?: Property[];
    secret?: boolean;
    plain?: boolean;
    /** Of a text: what it may look like. @default line */
    format?: string;
    /** Of a map: what its names may look like. @default line */
    propertyNames?: { format: string };
    /** What a change does to a running cluster: one of `effects`, and after a colon what it means here. */
    change?: string;
}

export interface ObjectType {
    description?: string;
    /** The `change` of properties that have none of their own. */
    change?: string;
    type: "object";
    properties: Record<string, Property>;
    required: string[];
}

/** Marks the default at the end of a description. (The engine's SDKs would fill in a Pulumi schema's `default`.) */
export const defaultMark = "Default: ";

const token = (name: string) => `pulumi-nfv:index:${name}`;

/** Every exported interface of the sources, as an object type. */
export function readInterfaces(): Record<string, ObjectType> {
    const declared = new Map<string, ts.InterfaceDeclaration>();
    for (const name of sources) {
        parseFile(name).forEachChild(node => {
            if (ts.isInterfaceDeclaration(node)) declared.set(node.name.text, node);
        });
    }
    return Object.fromEntries([...declared].map(([name, node]) => [name, objectType(node, declared)]));
}

/** Public fields of a resource's class that are outputs. */
function readOutputs(file: string, name: string): Record<string, Property> {
    const found = parseFile(file).statements.find(
        (node): node is ts.ClassDeclaration => ts.isClassDeclaration(node) && node.name?.text === name,
    );
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Static;
    const fields = [...(found?.members ?? [])]
        .filter(ts.isPropertyDeclaration)
        .filter(field => (ts.getCombinedModifierFlags(field) & hidden) === 0);
    return Object.fromEntries(
        fields.map(field => [(field.name as ts.Identifier).text, { ...shape(field.type!), ...docs(field) }]),
    );
}

function parseFile(name: string): ts.SourceFile {
    return ts.createSourceFile(name, readFileSync(path.join(folder, name), "utf8"), ts.ScriptTarget.ES2022, true);
}

export function generateSchema(): Record<string, unknown> {
    const { version, description, license } = JSON.parse(readFileSync(path.resolve(folder, "../package.json"), "utf8"));
    const interfaces = readInterfaces();
    const argsTypes = new Set(Object.values(resources).map(resource => resource.args));
    return {
        name: "pulumi-nfv",
        version,
        description,
        license,
        language: { nodejs: { packageName: "pulumi-nfv" } },
        types: Object.fromEntries(
            Object.entries(interfaces)
                .filter(([name]) => !argsTypes.has(name))
                .map(([name, type]) => [token(name), type]),
        ),
        resources: Object.fromEntries(
            Object.entries(resources).map(([name, { args, file }]) => {
                const type = interfaces[args]!;
                const outputs = readOutputs(file, name);
                return [
                    token(name),
                    {
                        description: type.description,
                        isComponent: true,
                        inputProperties: type.properties,
                        requiredInputs: type.required,
                        properties: outputs,
                        required: Object.keys(outputs),
                    },
                ];
            }),
        ),
    };
}

function objectType(node: ts.InterfaceDeclaration, declared: Map<string, ts.InterfaceDeclaration>): ObjectType {
    const members = membersOf(node, declared);
    return {
        ...docs(node),
        type: "object",
        properties: Object.fromEntries(members.map(member => [nameOf(member), property(member)])),
        required: members.filter(member => !member.questionToken).map(nameOf),
    };
}

/** Its own members, then those of the interface that it extends. Own ones may say it in other words. */
function membersOf(
    node: ts.InterfaceDeclaration,
    declared: Map<string, ts.InterfaceDeclaration>,
): ts.PropertySignature[] {
    const bases = (node.heritageClauses ?? []).flatMap(clause => clause.types.map(type => type.expression.getText()));
    const own = node.members.filter(ts.isPropertySignature);
    const names = own.map(nameOf);
    const inherited = bases.flatMap(base => membersOf(declared.get(base)!, declared));
    return [...own, ...inherited.filter(member => !names.includes(nameOf(member)))];
}

function nameOf(member: ts.PropertySignature): string {
    return (member.name as ts.Identifier).text;
}

function property(member: ts.PropertySignature): Property {
    const { format, keys, ...said } = docs(member);
    return { ...formatted(shape(member.type!), format, keys?.split(" ")), ...said };
}

/** With the format of its text, and those of the names in its maps, from the outside in. */
function formatted(given: Property, format?: string, [key, ...inner]: string[] = []): Property {
    const { items, additionalProperties } = given;
    if (items) return { ...given, items: formatted(items, format) };
    if (!additionalProperties) return format === undefined ? given : { ...given, format };
    const names = key === undefined ? {} : { propertyNames: { format: key } };
    return { ...given, ...names, additionalProperties: formatted(additionalProperties, format, inner) };
}

const any: Property = { $ref: "pulumi.json#/Any" };

const notPlain = ([inner]: readonly ts.TypeNode[]): Property => {
    const { plain: _, ...rest } = shape(inner!);
    return rest;
};

/** Arguments and results of generic types, by the name of the type. */
const generics: Record<string, (args: readonly ts.TypeNode[]) => Property> = {
    "pulumi.Input": notPlain,
    "pulumi.Output": notPlain,
    Record: ([, value]) => ({ type: "object", additionalProperties: shape(value!) }),
    Json: () => any,
    NumberOrText: () => ({ oneOf: [{ type: "number" }, { type: "string" }], plain: true }),
    VimConnectionInfo: () => ({ type: "object", additionalProperties: any }),
    CertificateExpiry: () => ({ type: "object", additionalProperties: { type: "string" } }),
    Vim: () => ({ $ref: "#/resources/pulumi-nfv:index:Vim" }),
    ManagementCluster: () => ({ $ref: "#/resources/pulumi-nfv:index:ManagementCluster" }),
    WorkloadMachine: () => any,
};

function shape(type: ts.TypeNode): Property {
    if (ts.isArrayTypeNode(type)) return { type: "array", items: shape(type.elementType) };
    if (ts.isTypeReferenceNode(type)) {
        const name = type.typeName.getText();
        return generics[name]?.(type.typeArguments ?? []) ?? { $ref: `#/types/${token(name)}` };
    }
    const name = type.getText();
    if (!["string", "number", "boolean"].includes(name)) throw new Error(`${name} has no place in a Pulumi schema`);
    return { type: name, plain: true };
}

interface Docs {
    description?: string;
    change?: string;
    secret?: boolean;
    format?: string;
    keys?: string;
}

function docs(node: ts.Node): Docs {
    const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
    const text = (comment: ts.JSDoc["comment"]) => ts.getTextOfJSDocComment(comment)?.replace(/\s*\n\s*/g, " ");
    const tags = Object.fromEntries((doc?.tags ?? []).map(tag => [tag.tagName.text, text(tag.comment) ?? ""]));
    const fallback = "default" in tags ? `${defaultMark}${tags["default"]}` : undefined;
    const description = [text(doc?.comment), fallback].filter(Boolean).join(" ");
    const { change, format, keys } = tags;
    return {
        ...(description && { description }),
        ...(change && { change }),
        ...("secret" in tags && { secret: true }),
        ...(format && { format }),
        ...(keys && { keys }),
    };
}
