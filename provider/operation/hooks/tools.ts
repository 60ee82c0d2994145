import type { NodeConnection } from "../../steps";
import type { KubeApi } from "../../vim";

/** What hooks act with. */
export interface HookTools {
    /** Relative paths of hooks start from it. */
    folder: string;
    clusterId: string;
    /** Address of Pulumi's engine. Undefined: there is none, as in tests. */
    engine?: string;
    /** The machine of this node. @throws if the run does not know how it is reached */
    machineOf(node: string): NodeConnection;
    /** Why a script for nodes leaves this one out: it never came to the cluster, or it is lost. Undefined: it takes part. */
    whyLeftOut(node: string): Promise<string | undefined>;
    /** Undefined: there is no cluster at this moment, or its address is not known. */
    api?: KubeApi;
    /** Replaces the secrets that the hook was told. */
    redact(text: string): string;
    /** Status line; redacted by whoever gives it. */
    report(text: string): void;
    /** A line that stays. */
    note(text: string): void;
    warn(text: string): void;
    /** How it ended: a line that stays, and what the scripts printed. */
    tell(text: string): void;
    /** What a script printed; `node`: where, if not on this machine. */
    printed(text: string, node?: string): void;
    /** Aborted at the deadline of the hook, and at Ctrl-C. */
    signal: AbortSignal;
}
