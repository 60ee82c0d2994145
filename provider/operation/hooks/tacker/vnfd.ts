import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePythonYaml } from "../../../common/python-yaml";
import { type EtsiEvent, etsiName, hookEvents } from "../events";
import { isObject, type JsonObject } from "./merge";
import { fileOfPackage, packageFolderOf, refused } from "./package-path";

/** What identifies a VNF descriptor. */
export interface Descriptor {
    vnfdId?: string;
    provider?: string;
    productName?: string;
    softwareVersion?: string;
    vnfdVersion?: string;
}

/** An unpacked VNF package, as far as hooks need it. */
export interface TackerPackage {
    /** Absolute, without symbolic links. */
    folder: string;
    flavourId: string;
    /** Event → script, relative to the folder of the package. The package has no hook for events that are not here. */
    scripts: Partial<Record<EtsiEvent, string>>;
    descriptor: Descriptor;
}

interface Definition {
    /** Name of its file, relative to the folder of the package. */
    file: string;
    topology: JsonObject;
}

const metaFile = "TOSCA-Metadata/TOSCA.meta";
const definitionsFolder = "Definitions";
const ofVersion1 = "Packages for version 1 of Tacker's API have their script in Tacker itself: it cannot run here.";
const pythonScript = "tosca.artifacts.Implementation.Python";

/**
 * Reads an unpacked VNF package: which scripts run at which events, and what identifies it.
 * `flavourId`: needed only if the package has several deployment flavours.
 * @see ETSI GS NFV-SOL 004 (packages) and SOL 001 (interface Vnflcm). A script's path is relative to Definitions.
 */
export function readTackerPackage(folder: string, flavourId?: string): TackerPackage {
    const root = packageFolderOf(folder);
    checkMeta(root);
    const definitions = readDefinitions(root);
    const { id, definition } = flavourOf(definitions, flavourId);
    return { folder: root, flavourId: id, scripts: scriptsOf(root, definition), descriptor: descriptorOf(definitions) };
}

function checkMeta(root: string): void {
    const hint = `Give the folder of an unpacked VNF package, in which TOSCA-Metadata and ${definitionsFolder} are (contents, in Tacker's samples).`;
    if (!existsSync(join(root, metaFile))) throw refused(root, `the package has no file ${metaFile}`, hint);
    const text = readFileSync(join(root, fileOfPackage(root, ".", metaFile, root)), "utf8");
    const [, entry] = /^Entry-Definitions:[ \t]*(\S.*?)[ \t\r]*$/m.exec(text) ?? [];
    const right = "Write Entry-Definitions: Definitions/NAME.yaml, as ETSI NFV-SOL 004 says.";
    if (entry === undefined) throw refused(metaFile, "it has no line Entry-Definitions", right);
    fileOfPackage(root, ".", entry, metaFile);
}

/** Tacker reads all files of the folder, whether others import them or not. */
function readDefinitions(root: string): Definition[] {
    return filesOf(join(root, definitionsFolder)).map(name => {
        const file = fileOfPackage(root, definitionsFolder, name, root);
        const content = readYaml(root, file);
        return { file, topology: objectAt(content, "topology_template") };
    });
}

function filesOf(path: string): string[] {
    try {
        return readdirSync(path)
            .filter(name => /\.ya?ml$/.test(name))
            .sort();
    } catch {
        throw refused(path, "the package has no such folder", "VNF descriptors lie in the folder Definitions.");
    }
}

function readYaml(root: string, file: string): JsonObject {
    const right = "A definition is a YAML file with keys such as tosca_definitions_version and topology_template.";
    // Tacker reads YAML 1.1, where a key may stand twice.
    const options = { version: "1.1", uniqueKeys: false, logLevel: "error" } as const;
    const { document } = parsePythonYaml(readFileSync(join(root, file), "utf8"), options);
    const [error] = document.errors;
    if (error) throw refused(file, error.message, right);
    const content: unknown = document.toJS();
    if (!isObject(content)) throw refused(file, "it contains no mapping", right);
    return content;
}

function flavourOf(definitions: Definition[], wanted?: string): { id: string; definition: Definition } {
    const flavours = definitions.flatMap(definition => {
        const { flavour_id: id } = objectAt(definition.topology, "substitution_mappings", "properties");
        return typeof id === "string" || typeof id === "number" ? [{ id: String(id), definition }] : [];
    });
    const names = flavours.map(({ id }) => id).join(", ");
    const right = "A definition of a flavour has topology_template.substitution_mappings.properties.flavour_id.";
    if (flavours.length === 0) throw refused(definitionsFolder, "no file defines a deployment flavour", right);
    const found = flavours.filter(({ id }) => wanted === undefined || id === wanted);
    if (found.length === 1 || (found.length > 1 && wanted !== undefined)) return found[0]!;
    const cause = wanted === undefined ? "the package has several flavours" : `the package has no flavour ${wanted}`;
    throw refused(definitionsFolder, cause, `Give flavourId, one of: ${names}.`);
}

function scriptsOf(root: string, { file, topology }: Definition): TackerPackage["scripts"] {
    const nodes = Object.values(objectAt(topology, "node_templates")).filter(isObject);
    const node = nodes.find(each => isObject(objectAt(each, "interfaces")["Vnflcm"])) ?? {};
    const events = hookEvents.map(etsiName);
    const scripts = events.flatMap(event => {
        // A package without a hook for an event says so by "instantiate_start: []".
        const { implementation } = objectAt(node, "interfaces", "Vnflcm", event);
        if (implementation === undefined || implementation === null) return [];
        const artifact = isObject(implementation) ? implementation["primary"] : implementation;
        return [[event, scriptOf(root, file, event, objectAt(node, "artifacts"), String(artifact))]];
    });
    return Object.fromEntries(scripts);
}

function scriptOf(root: string, file: string, event: string, artifacts: JsonObject, name: string): string {
    const where = `${file}: Vnflcm.${event}`;
    const artifact = objectAt(artifacts, name);
    const path = artifact["file"];
    if (typeof path !== "string") {
        throw refused(where, `the node has no artifact ${name} with a file`, "implementation names an artifact.");
    }
    if (artifact["type"] !== pythonScript) {
        const cause = `the artifact ${name} is of type ${artifact["type"]}`;
        throw refused(where, cause, `Only ${pythonScript} can run: Tacker runs Python scripts only.`);
    }
    if (!/^(?:\.\.?)?\//.test(path) && !existsSync(join(root, definitionsFolder, path))) {
        const cause = `the package has no file ${join(definitionsFolder, path)}`;
        throw refused(
            where,
            cause,
            `Name a file of the package, relative to its folder ${definitionsFolder}. ${ofVersion1}`,
        );
    }
    return fileOfPackage(root, definitionsFolder, path, where);
}

function descriptorOf(definitions: Definition[]): Descriptor {
    const nodes = definitions.flatMap(({ topology }) => Object.values(objectAt(topology, "node_templates")));
    const properties = nodes.map(node => objectAt(node, "properties"));
    const found = properties.find(each => typeof each["descriptor_id"] === "string") ?? {};
    const text = (key: string) => (found[key] === undefined ? undefined : String(found[key]));
    return {
        vnfdId: text("descriptor_id"),
        provider: text("provider"),
        productName: text("product_name"),
        softwareVersion: text("software_version"),
        vnfdVersion: text("descriptor_version"),
    };
}

/** The object at a path of keys. {} if there is none: packages may leave out whatever they do not need. */
function objectAt(value: unknown, ...keys: string[]): JsonObject {
    const found = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
    return isObject(found) ? found : {};
}
