import type { Role } from "../../common/model";
import type { Retry } from "../../steps/types";

/** Errors of clients while an API server or etcd is slow, starts or elects a leader. */
const transientApiErrors: readonly RegExp[] = [
    /client rate limiter Wait returned an error/,
    /context deadline exceeded/,
    /Client\.Timeout exceeded|request canceled/,
    /timed out waiting for the condition/,
    /TLS handshake timeout|i\/o timeout/,
    /connection (refused|reset by peer)|client connection lost|unexpected EOF|\bEOF$/m,
    /no route to host|network is unreachable/,
    /the server was unable to return a response in the time allotted/,
    /the server is currently unable to handle the request|Too Many Requests|too many requests/,
    /apiserver is shutting down/,
    /etcdserver: (request timed out|leader changed|too many requests|no leader)/,
];

/** Errors that look alike but that no retry repairs: a kubelet that does not start has a wrong setting. */
const final = [/failed while waiting for the kubelet to start/, /is invalid: none of the public keys/];

/**
 * From `etcd-join` on, a new control-plane node may count in etcd's quorum. Then only a person, or the checks of the
 * next run, may start over.
 */
const beyondRepair: Record<Role, RegExp[]> = {
    worker: [],
    controlPlane: [/error execution phase (?!preflight|control-plane-prepare|check-etcd|kubelet-start)/],
};

/**
 * How often, and after which errors, a join is retried. Each attempt has its own token and cleans up after the one
 * before.
 */
export function joinRetries(role: Role): Retry {
    return {
        times: 2,
        delaySeconds: 10,
        onOutput: transientApiErrors,
        neverOnOutput: [...final, ...beyondRepair[role]],
    };
}
