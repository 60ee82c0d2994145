/**
 * Lines for the person who watches `pulumi up`, from inside the process that hosts the dynamic resources. The engine's address
 * is that process's argument; everywhere else (tests, other hosts) there is nobody to tell, and nothing happens.
 */

type Severity = "INFO" | "WARNING";

type Send = (severity: Severity, urn: string, text: string, ephemeral: boolean) => void;

let send: Send | undefined;

/** The status text of the resource's row: gone when the resource is done. */
export function report(urn: string, text: string): void {
    log("INFO", urn, text, true);
}

/** A diagnostic that stays on the screen. */
export function warn(urn: string, text: string): void {
    log("WARNING", urn, text, false);
}

/** A remark that stays on the screen. */
export function note(urn: string, text: string): void {
    log("INFO", urn, text, false);
}

function log(severity: Severity, urn: string, text: string, ephemeral: boolean): void {
    try {
        send ??= connect() ?? (() => {});
        send(severity, urn, text, ephemeral);
    } catch {
        // Progress is a courtesy: it never fails an operation.
        send = () => {};
    }
}

/** The address of the engine, if this is the process of the dynamic resources. Before it stand options, with `pulumi up --logflow`. */
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
    // One after another for each resource: calls at the same time may overtake each other.
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
