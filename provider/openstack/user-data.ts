import { parseDocument, stringify } from "yaml";
import { NfvError } from "../common/errors";
import type { SshKeyPair } from "./host-key";

export interface UserDataParts {
    /** Name of the server, its host and its node. */
    name: string;
    /** The host key of its SSH daemon, so that the first connection is verified already. */
    hostKey: SshKeyPair;
    /** Our user, in addition to the image's own: with sudo rights, login by key only. Undefined: none is created. */
    user?: string;
    /** The key that may log in as `user`: "ssh-ed25519 AAAA…". */
    publicKey?: string;
    /** The user's cloud-config. Lists are appended to ours; if both set a value, ours wins. */
    own?: string;
}

/** Nova's limit, in bytes of base64. */
const largestBase64 = 65_535;

/** YAML 1.1, as cloud-init reads it: a bare `yes` is a boolean. */
const yaml = { version: "1.1" } as const;

type Mapping = Record<string, unknown>;

/**
 * The cloud-config of a server. Secret: it contains a host key. @throws INVALID_INPUT if the user's part is not a
 * cloud-config, or too large
 */
export function userData(parts: UserDataParts): string {
    const { name, own } = parts;
    const theirs = own === undefined || own.trim() === "" ? {} : parseCloudConfig(own, name);
    const config = merge(ours(parts), theirs, name, []) as Mapping;
    const text = `#cloud-config\n${stringify(config, { ...yaml, lineWidth: 0 })}`;
    const size = Math.ceil(Buffer.byteLength(text) / 3) * 4;
    if (size > largestBase64) {
        const cause = `userData: with ours it takes ${size} bytes as base64, a server gets ${largestBase64} at the most`;
        throw refusal(name, cause, "Let cloud-init fetch the larger parts, or put them into the image.");
    }
    return text;
}

function ours({ name, hostKey, user, publicKey }: UserDataParts): Mapping {
    return {
        hostname: name,
        fqdn: name,
        preserve_hostname: false,
        // Host keys in the image are known to everybody who has the image.
        ssh_deletekeys: true,
        ssh_keys: { ed25519_private: hostKey.privateKey, ed25519_public: hostKey.publicKey },
        ssh_pwauth: false,
        ...(user !== undefined && {
            users: [
                "default",
                {
                    name: user,
                    gecos: "pulumi-nfv",
                    shell: "/bin/sh",
                    sudo: "ALL=(ALL) NOPASSWD:ALL",
                    lock_passwd: true,
                    ssh_authorized_keys: publicKey === undefined ? [] : [publicKey],
                },
            ],
        }),
    };
}

function parseCloudConfig(text: string, server: string): Mapping {
    const first = text.trimStart().split("\n", 1)[0].trim();
    if (first !== "#cloud-config") {
        const cause = `userData: must begin with the line "#cloud-config", not with "${first.slice(0, 40)}"`;
        throw refusal(server, cause, "Scripts and other forms go into the cloud-config: write_files and runcmd.");
    }
    const document = parseDocument(text, yaml);
    const [fault] = document.errors;
    if (fault !== undefined) {
        const line = fault.linePos?.[0].line;
        // The parser's message quotes the text, which may contain a password.
        throw refusal(server, `userData: no YAML${line === undefined ? "" : ` in line ${line}`} (${fault.code})`);
    }
    const config: unknown = document.toJS() ?? {};
    if (isMapping(config)) return config;
    throw refusal(server, 'userData: must be a mapping of cloud-init\'s modules: "packages: […]"');
}

/** Mappings are merged, lists concatenated; of two single values the first wins. */
function merge(first: unknown, second: unknown, server: string, path: string[]): unknown {
    if (second === undefined || second === null) return first;
    if (first === undefined) return second;
    if (isMapping(first) && isMapping(second)) {
        const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
        return Object.fromEntries(keys.map(key => [key, merge(first[key], second[key], server, [...path, key])]));
    }
    if (Array.isArray(first) && Array.isArray(second)) {
        return [...first, ...second.filter(each => typeof each === "object" || !first.includes(each))];
    }
    if (Array.isArray(first) || isMapping(first)) {
        const wanted = Array.isArray(first) ? "a list" : "a mapping";
        throw refusal(server, `userData: ${path.join(".")} must be ${wanted}, so that ours can stand beside it`);
    }
    return first;
}

function isMapping(value: unknown): value is Mapping {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

function refusal(node: string, cause: string, hint?: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", node, cause, hint });
}
