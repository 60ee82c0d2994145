import { NfvError } from "../../provider/common/errors";

/** A resource of this package in a stack's state. */
export interface StateResource {
    urn: string;
    /** "Node". */
    type: string;
    id: string;
    outputs: Record<string, unknown>;
}

/** The keys with which Pulumi marks a secret in an export. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * The resources of this package in the text of `pulumi stack export --show-secrets`, in its order. Pure.
 * @throws INVALID_INPUT
 */
export function resourcesIn(text: string): StateResource[] {
    let resources: { urn: string; type: string; id?: string; outputs?: Record<string, unknown>; delete?: boolean }[];
    try {
        resources = JSON.parse(text).deployment.resources ?? [];
    } catch {
        throw wrong("what was read is no export of a stack");
    }
    return resources
        .filter(resource => /^pulumi-nodejs:dynamic\/nfv:/.test(resource.type) && resource.delete !== true)
        .map(({ urn, type, id = "", outputs = {} }) => ({
            ...{ urn, id },
            type: type.replace(/^.*:/, ""),
            outputs: open(outputs) as Record<string, unknown>,
        }));
}

function open(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(open);
    if (value === null || typeof value !== "object") return value;
    const { [signatureKey]: signature, plaintext, ...rest } = value as Record<string, unknown>;
    if (signature !== secretSignature)
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, open(each)]));
    if (typeof plaintext !== "string")
        throw wrong(`the secrets of the export are encrypted (${Object.keys(rest).join()})`);
    return open(parsed(plaintext));
}

/** Without the parser's message: it quotes the text. */
function parsed(plaintext: string): unknown {
    try {
        return JSON.parse(plaintext);
    } catch {
        throw wrong("a secret of the export is no JSON text");
    }
}

function wrong(cause: string): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        cause,
        hint: "Run nfv check in the project's folder, or give the output of pulumi stack export --show-secrets as --state FILE (- is standard input).",
    });
}
