import type { ConfigMap } from "@pulumi/pulumi/automation";

/** Shorter texts would make what is said unreadable. */
const shortest = 6;

/** Values that must not show: secrets of the stack's configuration, with the texts inside objects, and what the environment calls a secret. Pure. */
export function secretsIn(config: ConfigMap, env: Readonly<Record<string, string | undefined>>): string[] {
    const ofConfig = Object.values(config)
        .filter(({ secret }) => secret === true)
        .flatMap(({ value }) => [value, ...textsIn(value)]);
    const ofEnvironment = Object.entries(env)
        .filter(([name, value = ""]) => secretVariable.test(name) || (/_KEY$/i.test(name) && isKeyLike(value)))
        .map(([, value]) => value ?? "");
    const all = [...ofConfig, ...ofEnvironment].flatMap(value => [
        value.trim(),
        ...longLines(value),
        ...namedLines(value),
    ]);
    return [...new Set(all)].filter(value => value.length >= shortest);
}

/** Finds many values in many texts: by their first characters, since a run has thousands of texts, and a state hundreds of secrets. */
export class KnownSecrets {
    private readonly byBegin = new Map<string, string[]>();

    constructor(secrets: readonly string[]) {
        // The longest first: it may begin with another one.
        for (const form of writtenForms(secrets).sort((a, b) => b.length - a.length)) {
            const begin = form.slice(0, shortest);
            this.byBegin.set(begin, [...(this.byBegin.get(begin) ?? []), form]);
        }
    }

    /** The text without them. */
    leave(text: string): string {
        let rest = "";
        let from = 0;
        for (let at = 0; at + shortest <= text.length; ) {
            const found = this.byBegin.get(text.slice(at, at + shortest))?.find(form => text.startsWith(form, at));
            if (found === undefined) {
                at++;
                continue;
            }
            rest += `${text.slice(from, at)}***`;
            at += found.length;
            from = at;
        }
        return rest + text.slice(from);
    }
}

const secretVariable = /PASSWORD|PASSPHRASE$|SECRET|TOKEN|PRIVATE_KEY|(API|ACCESS)_?KEY$|_(PASS|PWD)$/i;

/** Each secret, and how programs write it: in base64, in JSON, in an address. Pure. */
function writtenForms(secrets: readonly string[]): string[] {
    const forms = secrets.flatMap(secret => {
        const bytes = Buffer.from(secret);
        // `echo secret | base64` has a line's end in it.
        const encoded = [secret, `${secret}\n`].map(text => Buffer.from(text).toString("base64").replace(/=+$/, ""));
        return [
            secret,
            ...encoded,
            bytes.toString("base64url"),
            JSON.stringify(secret).slice(1, -1),
            encodeURIComponent(secret.replace(/[\ud800-\udfff]/gu, "\ufffd")),
            // The last bytes of one that is part of a longer text depend on what follows.
            ...encoded.slice(0, 1).flatMap(text => (text.length >= 12 ? [text.slice(0, -2)] : [])),
        ];
    });
    return [...new Set(forms)].filter(form => form.length >= shortest);
}

/** The keys with which Pulumi marks a secret in an export. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Values that the stack's state knows as secrets: of all resources, also of other packages, and of outputs. Secret objects also hold addresses and names, which messages
 * need: only texts that look like keys, tokens or passwords of machines are taken, and those that are called a password or the like. What the state also has in clear
 * is none. `exported`: `pulumi stack export --show-secrets`. Pure.
 */
export function secretsInState(exported: unknown): string[] {
    const found: Named[] = [];
    const clear = new Set<string>();
    const look = (value: unknown): void => {
        if (typeof value === "string") for (const { text } of namedTexts(value)) clear.add(text);
        if (value === null || typeof value !== "object") return;
        const { [signatureKey]: signature, plaintext } = value as Record<string, unknown>;
        if (signature !== secretSignature) Object.values(value).forEach(look);
        else if (typeof plaintext === "string") found.push(...namedTexts(opened(plaintext)));
    };
    look(exported);
    const all = found.flatMap(({ name, text }) =>
        [text.trim(), ...longLines(text).map(line => line.trim())].filter(
            each => (isKeyLike(each) && !isFile(name, each)) || (secretName.test(name) && each.length >= shortest),
        ),
    );
    return [...new Set(all)].filter(text => !clear.has(text));
}

const secretName = /pass(word|wd|phrase)$|secret$|token$/i;

/** What is secret only because it stands in a secret object, such as the hooks of a cluster: plans name the files and packages of those. */
const isFile = (name: string, text: string) =>
    /^(files|script|package|newPackage)$/.test(name) && /^[\w.~@+-]*(\/[\w.~@+-]+)+\/?$/.test(text);

const isKeyLike = (text: string) =>
    text.includes("PRIVATE KEY-----") || (/^[^\s:]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text));

interface Named {
    /** Of the property that has it; "": of none. */
    name: string;
    text: string;
}

/** All texts in a value, also those in texts that are JSON: inputs of machines are stored so, see provider/contract/packed.ts. */
function namedTexts(value: unknown, name = ""): Named[] {
    if (typeof value === "string") {
        const inner = /^[[{]/.test(value) ? opened(value) : undefined;
        return [{ name, text: value }, ...(typeof inner === "object" ? namedTexts(inner, name) : [])];
    }
    if (Array.isArray(value)) {
        const [path, each] = value;
        if (value.length === 2 && isPath(path)) return namedTexts(each, path.at(-1));
        return value.flatMap(each => namedTexts(each, name));
    }
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, each]) => namedTexts(each, key));
}

const isPath = (value: unknown): value is string[] =>
    Array.isArray(value) && value.length > 0 && value.every(each => typeof each === "string");

function opened(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** A secret of several lines may be told line by line. */
function longLines(value: string): string[] {
    if (!value.includes("\n")) return [];
    return value
        .split("\n")
        .map(line => line.trim())
        .filter(line => line.length >= 16 && !line.startsWith("---"));
}

/** Of a file with settings: what stands behind "password:" and the like. */
function namedLines(value: string): string[] {
    return value.split("\n").flatMap(line => {
        const [, name = "", found] =
            /^\s*(?:- )?["']?([\w.-]+)["']?\s*[:=]\s*["']?([^\s"']+)["']?,?\s*$/.exec(line) ?? [];
        return found !== undefined && (secretName.test(name) || secretVariable.test(name)) ? [found] : [];
    });
}

function textsIn(value: string): string[] {
    const parsed = opened(value);
    return typeof parsed === "object" ? namedTexts(parsed).map(({ text }) => text) : [];
}
