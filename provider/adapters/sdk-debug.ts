/**
 * Pulumi's SDK writes the whole answer to each registration into a debug message, including secrets in plain text. On a
 * terminal the engine hides debug messages, but `pulumi up --json`, `--debug` and the Automation API's `onEvent` pass
 * them on, and pipelines store them. Encrypting the keys would not help: the key for decryption would be a resource
 * property and be logged, too. So we remove the values from the messages of all resources in the program: other
 * resources get our secrets as inputs (a provider's kubeconfig, a server's user data).
 */
// biome-ignore lint/suspicious/noExplicitAny: further arguments of the SDK are passed on unchanged
type Debug = (message: string, ...rest: any[]) => unknown;

interface Log {
    debug: Debug;
}

/** Fields of a call's message that contain no property of a resource. The message is cut at the first other field. */
const harmlessFields = ["custom", "err", "id", "label", "name", "remote", "t", "tok", "urn"];

const aboutCall = /\bRPC (prepared|finished|failed|done)\b|^, \w+=/i;
const fieldStart = /[,;] (?=\w+[:=])/;
const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

/** The message without values of resources. Messages of programs stay as they are, except for private keys. */
export function withoutValues(message: string): string {
    const text = aboutCall.test(message) ? harmlessPart(message) : message;
    return text.replace(privateKey, "(private key)");
}

function harmlessPart(message: string): string {
    const [head = "", ...fields] = message.split(fieldStart);
    const end = fields.findIndex(field => !harmlessFields.includes(/^\w+/.exec(field)![0]));
    if (end < 0) return message;
    return [head, ...fields.slice(0, end), "values are not shown"].filter(Boolean).join(", ");
}

const filtered = Symbol.for("pulumi-nfv.filtered");

/** Removes values from the debug messages of one copy of the SDK. A second call has no effect. */
export function filterDebug(log: Log): void {
    const original = log.debug as Debug & { [filtered]?: true };
    if (original[filtered]) return;
    const debug = (message: string, ...rest: unknown[]) => original(withoutValues(String(message)), ...rest);
    Object.assign(debug, { [filtered]: true });
    if (!Reflect.set(log, "debug", debug) || log.debug !== debug) {
        throw new Error(
            "the debug messages of this release of @pulumi/pulumi cannot be filtered, and they hold private keys; " +
                "use the release before it, and report this",
        );
    }
}

const logModule = /[\\/]@pulumi[\\/]pulumi[\\/]log[\\/]index\.js$/;

/** Filters every loaded copy of the SDK: packages may have their own, which registers their resources. */
export function filterLoadedSdks(loaded: Record<string, { exports: unknown } | undefined> = require.cache): void {
    for (const [file, module] of Object.entries(loaded)) {
        const log = logModule.test(file) ? (module?.exports as Partial<Log> | undefined) : undefined;
        if (typeof log?.debug === "function") filterDebug(log as Log);
    }
}
