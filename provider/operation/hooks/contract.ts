import type { Role } from "../../common/model";
import type { Operation } from "../operation";
import type { EtsiEvent, HookEvent } from "./events";

/** A node of the cluster, as a hook sees it. */
export interface HookNode {
    name: string;
    role: Role;
    /** Of workers only. */
    pool?: string;
    /** In the cluster's network. Undefined: the cloud has not assigned it yet. */
    address?: string;
    /** Where SSH reaches it. */
    sshAddress?: string;
    /** Id of its server in the cloud. */
    serverId?: string;
}

/** The operation for which a hook runs. */
export type HookOperation = Operation;

/** The cluster. What does not exist at the time of the event is undefined. */
export interface HookCluster {
    id: string;
    name: string;
    kubernetesVersion?: string;
    /** URL of the API. */
    endpoint?: string;
    /** PEM. */
    caCertificate?: string;
    /** Administrator access, as YAML. Secret. */
    kubeconfig?: string;
}

/** The facts that a hook receives: plain data, the same for each kind of hook. A script receives them as JSON on its standard input. */
export interface HookFacts {
    apiVersion: "pulumi-nfv/v1";
    /** "scaleStart". */
    event: HookEvent;
    /** The same as ETSI NFV writes it: "scale_start". */
    etsiEvent: EtsiEvent;
    /** Name of the hook. */
    hook: string;
    operation: HookOperation;
    nodes: {
        /** In the cluster before the operation. */
        before: HookNode[];
        /** In the cluster after it. */
        after: HookNode[];
        /** Names, as in the operation. A replaced node is in `before` with its former server, in `after` with the new one. */
        added: string[];
        removed: string[];
        replaced: string[];
    };
    cluster: HookCluster;
    /** Of Pulumi. */
    stack: { organization?: string; project: string; name: string };
    /** As the program gives them. */
    parameters: Record<string, unknown>;
    /** What an earlier attempt of this hook for this operation left. */
    errorHandlingData: Record<string, unknown>;
    /** 1 for the first attempt of this hook for this operation. */
    attempt: number;
    /** The attempt before this one was killed, or the run ended before its success was recorded: the hook may have done its work. */
    interrupted: boolean;
}

/** What a hook may leave. */
export interface HookResult {
    /** Merged into that of the next attempt, and into what the operation's other hooks of the same name get. */
    errorHandlingData?: Record<string, unknown>;
}

/** What runs on a node. */
export interface NodeCommand {
    /** POSIX sh, run as root under `set -eu`. It survives a lost connection. */
    script: string;
    /** Shell variables. Not secret. */
    env?: Record<string, string>;
    /** Each becomes a root-only file $SECRETS/NAME while the script runs. */
    secrets?: Record<string, string>;
    /** @default the hook's deadline */
    timeoutSeconds?: number;
}

/** What a method of a `MgmtDriver` gets. */
export interface HookContext extends HookFacts {
    /** Stores data for the next attempt at once, also for one after a kill. */
    leave(data: Record<string, unknown>): void;
    /**
     * Runs a script on a node, and returns what it printed. It survives a lost connection; once it has ended well, a later attempt for the same
     * operation does not run it again.
     */
    run(node: string, command: NodeCommand): Promise<string>;
    /** The cluster's API as administrator. Undefined: there is no cluster at this moment. */
    kubernetes?: KubernetesClient;
    /** Shows a line while the hook works. */
    progress(text: string): void;
    /** Shows a line that stays. */
    log(text: string): void;
    /** Aborted at the hook's deadline, and when the run is stopped: end then. */
    signal: AbortSignal;
}

/** The part of the cluster's API that hooks may use. Paths are those of the API: "/api/v1/namespaces/default/pods". */
export interface KubernetesClient {
    /** Undefined: there is no such object. */
    get<T = object>(path: string): Promise<T | undefined>;
    post<T = object>(path: string, body: object): Promise<T>;
    /** Deletes an object; no error if it does not exist. */
    delete(path: string): Promise<void>;
}

/**
 * A management driver, as ETSI NFV-SOL calls it: methods that run at the events of a cluster's operations. A method that throws fails the operation:
 * a `…Start` before anything has changed.
 */
export type MgmtDriver = {
    // biome-ignore lint/suspicious/noConfusingVoidType: a method without a result
    [Event in HookEvent]?: (context: HookContext) => Promise<HookResult | void> | HookResult | void;
};
