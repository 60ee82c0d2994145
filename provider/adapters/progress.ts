import { plainText } from "../common/plain-text";

/** Messages for the person who watches `pulumi up`, in the row of a resource. */
export interface Messages {
    /** Status text. It disappears when the resource is done. */
    report(urn: string, text: string): void;
    /** A warning that stays on the screen. */
    warn(urn: string, text: string): void;
    /** An information that stays on the screen. */
    note(urn: string, text: string): void;
}

type Send = (severity: "INFO" | "WARNING", urn: string, text: string, ephemeral: boolean) => void;

/** Messages to the engine at this address. Without an address (tests, other hosts) they go nowhere. */
export function messagesTo(address: string | undefined): Messages {
    let send: Send | undefined;
    const log: Send = (severity, urn, text, ephemeral) => {
        try {
            send ??= address === undefined ? () => {} : connect(address);
            send(severity, urn, plainText(text), ephemeral);
        } catch {
            // A progress message that fails must never fail an operation.
            send = () => {};
        }
    };
    return {
        report: (urn, text) => log("INFO", urn, text, true),
        warn: (urn, text) => log("WARNING", urn, text, false),
        note: (urn, text) => log("INFO", urn, text, false),
    };
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

function connect(address: string): Send {
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
