/**
 * Messages for the person who watches `pulumi up`, sent by the process that hosts the dynamic resources. The engine's
 * address is an argument of that process. In other processes (tests, other hosts) the functions do nothing.
 */

type Severity = "INFO" | "WARNING";

type Send = (severity: Severity, urn: string, text: string, ephemeral: boolean) => void;

let send: Send | undefined;

/** Status text in the resource's row. It disappears when the resource is done. */
export function report(urn: string, text: string): void {
    log("INFO", urn, text, true);
}

/** A warning that stays on the screen. */
export function warn(urn: string, text: string): void {
    log("WARNING", urn, text, false);
}

/** An information that stays on the screen. */
export function note(urn: string, text: string): void {
    log("INFO", urn, text, false);
}

function log(severity: Severity, urn: string, text: string, ephemeral: boolean): void {
    try {
        send ??= connect() ?? (() => {});
        send(severity, urn, text, ephemeral);
    } catch {
        // A progress message that fails must never fail an operation.
        send = () => {};
    }
}

/**
 * The engine's address if this is the process of the dynamic resources. With `pulumi up --logflow`, options come before
 * it.
 */
export function engineAddress(argv: readonly string[]): string | undefined {
    const hosted = /[\\/]dynamic-provider([\\/]|$)/.test(argv[1] ?? "");
    const last = argv.slice(2).at(-1) ?? "";
    return hosted && /^[^\s/]+:\d+$/.test(last) ? last : undefined;
}

function connect(): Send | undefined {
    const address = engineAddress(process.argv);
    if (address === undefined) {
        return undefined;
    }
    const grpc = require("@grpc/grpc-js");
    const { EngineClient } = require("@pulumi/pulumi/proto/engine_grpc_pb");
    const { LogRequest, LogSeverity } = require("@pulumi/pulumi/proto/engine_pb");
    const client = new EngineClient(address, grpc.credentials.createInsecure());
    // One after another for each resource: concurrent calls may overtake each other.
    const sent = new Map<string, Promise<void>>();
    return (severity, urn, text, ephemeral) => {
        const request = new LogRequest();
        request.setSeverity(LogSeverity[severity]);
        request.setMessage(text);
        request.setUrn(urn);
        request.setEphemeral(ephemeral);
        const before = sent.get(urn) ?? Promise.resolve();
        sent.set(
            urn,
            before.then(() => new Promise(resolve => client.log(request, () => resolve()))),
        );
    };
}
