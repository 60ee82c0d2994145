import type { AuthenticationType, ConnectConfig, ParsedKey } from "ssh2";
import { utils } from "ssh2";
import { NfvError } from "../errors";
import { place } from "./failures";
import type { SshTarget } from "./types";

/** The part of ssh2's settings that proves who we are: keys first, a password only if one was given. */
export function credentials(target: SshTarget): ConnectConfig & { methods: string[] } {
    const privateKey = target.privateKey === undefined ? undefined : readKey(target);
    const wanted = target.agent ?? (privateKey || target.password !== undefined ? undefined : "env");
    const agent = wanted === "env" ? process.env.SSH_AUTH_SOCK : wanted;
    const methods: AuthenticationType[] = [];
    if (privateKey) {
        methods.push("publickey");
    }
    if (agent) {
        methods.push("agent");
    }
    if (target.password !== undefined) {
        methods.push("password", "keyboard-interactive");
    }
    if (methods.length === 0) {
        const cause =
            target.agent === undefined ? "no key, agent or password is given" : "SSH_AUTH_SOCK names no running agent";
        throw invalid(target, cause, "Give privateKey, agent or password.");
    }
    return {
        username: target.user ?? "root",
        // ssh2 takes a key that is parsed already, which spares the slow decryption at every reconnect.
        privateKey: privateKey as unknown as string | undefined,
        agent,
        password: target.password,
        tryKeyboard: target.password !== undefined,
        authHandler: methods,
        methods,
    };
}

const parsed = new Map<string, ParsedKey>();

function readKey(target: SshTarget): ParsedKey {
    const text = target.privateKey!;
    const cacheKey = `${target.passphrase ?? ""}\0${text}`;
    let key = parsed.get(cacheKey);
    if (key === undefined) {
        const result = utils.parseKey(text, target.passphrase) as ParsedKey | ParsedKey[] | Error;
        if (result instanceof Error) {
            throw invalid(target, ...whyUnreadable(result.message, target.passphrase !== undefined));
        }
        key = Array.isArray(result) ? result[0] : result;
        if (!key.isPrivateKey()) {
            throw invalid(target, "the private key is a public key", "Give the file without .pub at its end.");
        }
        parsed.set(cacheKey, key);
    }
    return key;
}

function whyUnreadable(message: string, passphrase: boolean): [cause: string, hint: string] {
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
