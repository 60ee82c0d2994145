import assert from "node:assert/strict";
import type { Role } from "../../../../../provider/common/model";
import { joinRetries } from "../../../../../provider/member/join/transient-errors";

const phase = (name: string, why: string) =>
    `[preflight] Running pre-flight checks\nerror: error execution phase ${name}: ${why}\nTo see the stack trace of this error execute with --v=5 or higher\n`;
const limiter = "client rate limiter Wait returned an error: context deadline exceeded";
const get = (why: string) => `Get "https://10.0.0.100:16443/api/v1/nodes/w1?timeout=10s": ${why}`;

/** Output of a failed join, and the roles that may try again after it. */
const rows: [title: string, output: string, again: Role[]][] = [
    [
        "a limiter that ran out of time",
        phase("preflight", `couldn't get ConfigMap: ${limiter}`),
        ["controlPlane", "worker"],
    ],
    [
        "a handshake that took too long",
        phase("preflight", get("net/http: TLS handshake timeout")),
        ["controlPlane", "worker"],
    ],
    [
        "an answer that took too long",
        phase("kubelet-start", get("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")),
        ["controlPlane", "worker"],
    ],
    [
        "etcd without a leader, before a master is a member",
        phase("check-etcd", "etcdserver: request timed out"),
        ["controlPlane", "worker"],
    ],
    [
        "certificates that could not be had in time",
        phase("control-plane-prepare/certs", get("EOF")),
        ["controlPlane", "worker"],
    ],
    [
        "a master's etcd that was added too slowly",
        phase("etcd-join", "error creating local etcd static pod manifest file: context deadline exceeded"),
        ["worker"],
    ],
    [
        "a master whose kubelet waited in vain",
        phase("kubelet-wait-bootstrap", "failed while waiting for TLS bootstrap: context deadline exceeded"),
        ["worker"],
    ],
    [
        "a master that could not be marked",
        phase("control-plane-join/mark-control-plane", get("connection refused")),
        ["worker"],
    ],
    [
        "a token that could not be made",
        `failed to create bootstrap token: ${get("dial tcp 10.0.0.100:16443: connect: connection refused")}`,
        ["controlPlane", "worker"],
    ],
    [
        "kubectl at an API server that starts",
        "Error from server (ServiceUnavailable): the server is currently unable to handle the request",
        ["controlPlane", "worker"],
    ],
    [
        "a kubelet that does not start",
        phase(
            "kubelet-start",
            "failed while waiting for the kubelet to start: The HTTP call returned error: connection refused; context deadline exceeded",
        ),
        [],
    ],
    [
        "preflight that finds something",
        phase(
            "preflight",
            "[preflight] Some fatal errors occurred:\n\t[ERROR Swap]: running with swap on is not supported",
        ),
        [],
    ],
    [
        "another authority",
        phase(
            "preflight",
            'couldn\'t validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:1" are pinned',
        ),
        [],
    ],
    [
        "a node that lives",
        phase("kubelet-start", 'a Node with name "w1" and status "Ready" already exists in the cluster'),
        [],
    ],
    ["a request that is refused", 'Error from server (Forbidden): nodes "w1" is forbidden', []],
];

describe("a join that failed", () => {
    for (const [title, output, again] of rows) {
        it(`of ${title} is tried again by ${again.join(" and ") || "nobody"}`, () => {
            const tried = (["controlPlane", "worker"] as const).filter(role => {
                const { onOutput, neverOnOutput } = joinRetries(role);
                return onOutput!.some(row => row.test(output)) && !neverOnOutput!.some(row => row.test(output));
            });
            assert.deepEqual(tried, again);
        });
    }

    it("is tried at most three times", () => {
        assert.equal(joinRetries("worker").times, 2);
    });
});
