import type { Role } from "../model";
import type { Retry } from "../steps/types";

/** What an API server or etcd that is slow, starts or elects a leader makes its clients say. */
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

/** What no second try mends, although it looks the same: a kubelet that does not start has a setting that is wrong. */
const final = [/failed while waiting for the kubelet to start/, /is invalid: none of the public keys/];

/** From `etcd-join` on a master may count in etcd's quorum: nobody but a person, or the next run's checks, should begin anew then. */
const beyondRepair: Record<Role, RegExp[]> = {
    worker: [],
    controlPlane: [/error execution phase (?!preflight|control-plane-prepare|check-etcd|kubelet-start)/],
};

/** How often and after which failures a join is tried again. Each try has a token of its own and tidies up what the last one left. */
export function joinRetries(role: Role): Retry {
    return {
        times: 2,
        delaySeconds: 10,
        onOutput: transientApiErrors,
        neverOnOutput: [...final, ...beyondRepair[role]],
    };
}
