import type { AnyAuthMethod, ParsedKey } from "ssh2";
import { NfvError } from "../common/errors";
import { place } from "./failures";
import type { SshTarget } from "./types";

/** Loaded with the first connection. */
const ssh2 = () => require("ssh2") as typeof import("ssh2");

/** The authentication part of ssh2's settings: keys first; a password only if the user gave one. */
export function credentials(target: SshTarget): { username: string; authHandler: AnyAuthMethod[] } {
    const username = target.user ?? "root";
    const { privateKey, password } = target;
    const wanted = target.agent ?? (privateKey === undefined && password === undefined ? "env" : undefined);
    const agent = wanted === "env" ? process.env.SSH_AUTH_SOCK : wanted;
    const methods: AnyAuthMethod[] = [];
    if (privateKey !== undefined) {
        // A parsed key avoids the slow decryption at each reconnect, and errors of ssh2 that quote the key.
        methods.push({ type: "publickey", username, key: readKey(target) });
    }
    if (agent) {
        methods.push({ type: "agent", username, agent });
    }
    if (password !== undefined) {
        methods.push(
            { type: "password", username, password },
            {
                type: "keyboard-interactive",
                username,
                prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
            },
        );
    }
    if (methods.length === 0) {
        const cause =
            target.agent === undefined ? "no key, agent or password is given" : "SSH_AUTH_SOCK names no running agent";
        throw invalid(target, cause, "Give privateKey, agent or password.");
    }
    return { username, authHandler: methods };
}

/** Why a login will fail, as far as this machine can tell: for the target, or for a jump host before it. */
export function credentialProblem(target: SshTarget): string | undefined {
    try {
        credentials(target);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return `${error.reason}. ${error.hint}`;
    }
    return target.jump && credentialProblem(target.jump);
}

/** Why a text is no private key that can log in; undefined: it is one. The text itself is not shown. */
export function privateKeyProblem(privateKey: string, passphrase?: string): string | undefined {
    const problem = credentialProblem({ host: "", privateKey, ...(passphrase !== undefined && { passphrase }) });
    return problem?.replace(/^.*?: (?=the )/, "");
}

/** Why a text is no host key and no fingerprint of one; undefined: it is. */
export function hostKeyProblem(text: string): string | undefined {
    if (/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(text)) return undefined;
    const isKey = !(ssh2().utils.parseKey(text) instanceof Error);
    return isKey ? undefined : 'cannot be read: give "ssh-ed25519 AAAA…" as a whole, or the fingerprint "SHA256:…"';
}

const parsed = new Map<string, ParsedKey>();

function readKey(target: SshTarget): ParsedKey {
    const text = target.privateKey!;
    if (text.trim() === "")
        throw invalid(
            target,
            "the private key is empty",
            "What the program reads it from is not set here, such as the variable SITE_KEY of a pipeline: give that the key's text, with all of its lines.",
        );
    const cacheKey = `${target.passphrase ?? ""}\0${text}`;
    let key = parsed.get(cacheKey);
    if (key === undefined) {
        const result = ssh2().utils.parseKey(text, target.passphrase) as ParsedKey | ParsedKey[] | Error;
        if (result instanceof Error) {
            throw invalid(target, ...whyUnreadable(result.message, text, target.passphrase !== undefined));
        }
        key = Array.isArray(result) ? result[0] : result;
        if (!key.isPrivateKey()) {
            throw invalid(target, "the private key is a public key", "Give the file without .pub at its end.");
        }
        parsed.set(cacheKey, key);
    }
    return key;
}

function whyUnreadable(message: string, key: string, passphrase: boolean): [cause: string, hint: string] {
    if (/BEGIN (ENCRYPTED )?PRIVATE KEY/.test(key)) {
        return [
            "the private key is in PKCS #8 form, which ssh2 does not read",
            "ssh-keygen -p -f FILE writes it in OpenSSH's form.",
        ];
    }
    if (/no passphrase/i.test(message)) {
        return ["the private key is protected by a passphrase", "Give `passphrase`, or load the key into an agent."];
    }
    if (passphrase && /passphrase|decrypt|integrity/i.test(message)) {
        return ["the passphrase does not fit the private key", "Correct `passphrase`."];
    }
    return ["the private key cannot be read", "Give the key's text in OpenSSH or PEM form, with all of its lines."];
}

function invalid(target: SshTarget, cause: string, hint: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", step: "connect", cause: `${place(target)}: ${cause}`, hint });
}
