import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";

const isTransient = kubeadmScript("member/lib/transient-api-error.sh");

/** How kubectl 1.34 prints an error of its drain. */
const evicting = (why: string) =>
    [
        "node/w1 already cordoned",
        "evicting pod shop/web-1",
        `There are pending pods in node "w1" when an error occurred: error when evicting pods/"web-1" -n "shop": ${why}`,
        "pod/web-1",
        `error: unable to drain node "w1" due to error: error when evicting pods/"web-1" -n "shop": ${why}, continuing command...`,
        "There are pending nodes to be drained:",
        " w1",
        `error when evicting pods/"web-1" -n "shop": ${why}`,
    ].join("\n");
const budget = (name: string) =>
    `error when evicting pods/"${name}" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`;
const timeout = (name: string) => `error when evicting pods/"${name}" -n "shop": global timeout reached: 7s`;
const url = "https://10.0.0.10:8443/api/v1/nodes/w1";

/** Printed by kubectl 1.34.4 for a server that did so. */
const passes: Record<string, string> = {
    "nothing listens":
        "The connection to the server 10.0.0.10:8443 was refused - did you specify the right host or port?",
    "nothing listens, in a drain": evicting(`Post "${url}": dial tcp 10.0.0.10:8443: connect: connection refused`),
    "the address is nowhere": "Unable to connect to the server: dial tcp 10.0.0.10:8443: connect: no route to host",
    "the network is down": "Unable to connect to the server: dial tcp 10.0.0.10:8443: connect: network is unreachable",
    "the name is not found":
        "Unable to connect to the server: dial tcp: lookup k8s.example on 10.0.0.2:53: no such host",
    "the connection is reset": `error: Get "${url}": read tcp 10.0.0.1:3->10.0.0.10:8443: read: connection reset by peer - error from a previous attempt: EOF`,
    "it is reset in an answer": evicting(
        "unexpected error when reading response body. Please retry. Original error: read tcp 10.0.0.1:3->10.0.0.10:8443: read: connection reset by peer",
    ),
    "it is closed": "Unable to connect to the server: EOF",
    "it is closed in an eviction": evicting(`Post "${url}": EOF`),
    "it is closed in an answer":
        "error: unexpected error when reading response body. Please retry. Original error: unexpected EOF",
    "several evictions": `error: unable to drain node "w1" due to error: [${timeout("a")}, error when evicting pods/"b" -n "shop": Post "${url}": EOF], continuing command...`,
    "the connection is lost": `Unable to connect to the server: http2: client connection lost`,
    "the handshake takes too long": "Unable to connect to the server: net/http: TLS handshake timeout",
    "the connection takes too long": "Unable to connect to the server: dial tcp 10.0.0.10:8443: i/o timeout",
    "the answer takes too long": `error: Get "${url}": net/http: request canceled (Client.Timeout exceeded while awaiting headers)`,
    "the server ends": "Error from server (ServiceUnavailable): apiserver is shutting down",
    "it has no time": evicting("the server is currently unable to handle the request (post pods.policy web-1)"),
    "it fails":
        'Error from server (InternalError): an error on the server ("") has prevented the request from succeeding (get nodes w1)',
    "it takes too long": "Error from server (Timeout): Timeout: request did not complete within the allotted timeout",
    "it gets no answer":
        "Error from server (Timeout): the server was unable to return a response in the time allotted, but may still be processing the request (get nodes w1)",
    "it has too much to do":
        "Error from server (TooManyRequests): the server has received too many requests and has asked us to try again later (get nodes w1)",
    "etcd takes too long": "Error from server: etcdserver: request timed out",
    "etcd elects a leader": evicting("etcdserver: leader changed"),
    "etcd goes away": "Error from server: rpc error: code = Unavailable desc = error reading from server: EOF",
    "what it has is not known": 'error: the server doesn\'t have a resource type "nodes"',
    "a webhook does not answer: its pod may be one of those that move": evicting(
        'Internal error occurred: failed calling webhook "guard.shop": failed to call webhook: Post "https://guard.shop.svc:443/x?timeout=10s": dial tcp 10.96.1.2:443: connect: connection refused',
    ),
};

const stays: Record<string, string> = {
    nothing: "",
    "the time is up": `${budget("web-1")}\nerror: unable to drain node "w1" due to error: ${timeout("web-1")}, continuing command...`,
    "a pod whose name says so": `evicting pod eof/eof-1\n${timeout("eof")}\n${timeout("unreachable.connection-refused.i-o-timeout")}`,
    "a name with the words of an error": `error: unable to drain node "w1" due to error: error when evicting pods/"EOF" -n "connection reset by peer": not allowed`,
    "a budget": [budget("unreachable"), budget("eof"), timeout("eof")].join("\n"),
    "a webhook that refuses with such a reason": evicting(
        'admission webhook "guard.shop" denied the request: the licence server is unreachable: connection reset by peer: EOF',
    ),
    "a right that is missing":
        'Error from server (Forbidden): pods "eof" is forbidden: User "x" cannot list: i/o timeout',
    "a login that is refused": "error: You must be logged in to the server (Unauthorized)",
    "an authority that is not ours":
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
    "a node that is gone": 'Error from server (NotFound): nodes "w1" not found',
    "a full etcd": "Error from server: etcdserver: mvcc: database space exceeded",
    "kubectl's own log": `E1126 15:50:57.130659   20498 memcache.go:265] "Unhandled Error" err="couldn't get current server API group list: Get \\"${url}\\": EOF"`,
    "words in a line of progress":
        "node/w1 cordoned\nWarning: ignoring DaemonSet-managed Pods: net/unreachable, net/eof\n",
};

describe("an error of kubectl", () => {
    const verdict = (said: string) => {
        const input = `${isTransient}\nif is_transient "$SAID"; then echo passes; else echo stays; fi\n`;
        return spawnSync("sh", ["-s"], {
            input,
            encoding: "utf8",
            env: { PATH: process.env["PATH"], SAID: said },
        }).stdout.trim();
    };

    for (const [what, said] of Object.entries(passes))
        it(`passes: ${what}`, () => assert.equal(verdict(said), "passes"));

    for (const [what, said] of Object.entries(stays)) it(`stays: ${what}`, () => assert.equal(verdict(said), "stays"));
});
