/**
 * Pulumi's SDK writes the whole answer to each registration into a debug message, secrets in clear. The engine hides debug messages on
 * a terminal, but `pulumi up --json`, `--debug` and the Automation API's `onEvent` pass them on, and pipelines store them.
 * Keys cannot travel in another form: every property of a resource crosses the same channel, so that a key to unseal them would, too.
 * Therefore the values are taken out of the messages where these leave the program, of all resources: others get our secrets as inputs
 * (the kubeconfig of a provider, the user data of a server).
 */
// biome-ignore lint/suspicious/noExplicitAny: what else the SDK hands over is passed on, whatever it is.
type Debug = (message: string, ...rest: any[]) => unknown;

interface Log {
    debug: Debug;
}

/** Fields of a message about a call that hold no property of a resource. The first other one ends what is shown. */
const harmlessFields = ["custom", "err", "id", "label", "name", "remote", "t", "tok", "urn"];

const aboutCall = /\bRPC (prepared|finished|failed|done)\b|^, \w+=/i;
const fieldStart = /[,;] (?=\w+[:=])/;
const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

/** The message without values of resources. Messages of programs stay as they are, but for private keys. */
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

/** Takes values out of the debug messages of one copy of the SDK, from now on. Again: does nothing. */
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

/** The same for every copy of the SDK that is loaded: packages may bring their own, which then registers their resources. */
export function filterLoadedSdks(loaded: Record<string, { exports: unknown } | undefined> = require.cache): void {
    for (const [file, module] of Object.entries(loaded)) {
        const log = logModule.test(file) ? (module?.exports as Partial<Log> | undefined) : undefined;
        if (typeof log?.debug === "function") filterDebug(log as Log);
    }
}
