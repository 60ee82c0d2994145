import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NfvError } from "../../../../provider/common/errors";
import { caCertHash } from "../../../../provider/identity";
import { createAuthority, createClientCertificate } from "../../../../provider/identity/certificates";
import {
    type MachineStatus,
    machineStatusScript,
    parseMachineStatus,
} from "../../../../provider/kubeadm/machine-status";
import { ownershipOf } from "../../../../provider/kubeadm/ownership";
import { otherInstallers, tracesScript } from "../../../../provider/kubeadm/traces";
import type { Identity } from "../identity/made-identity";
import { testIdentity } from "../support/cluster";

const fresh = parseMachineStatus("");
const traces = ["/etc/kubernetes/kubelet.conf"];
const [ours, theirs] = ["sha256:ours", "sha256:theirs"];
const ask = (facts: Partial<MachineStatus>, known: string | undefined = ours) =>
    ownershipOf({ clusterId: "core-1", name: "m1", caCertHash: known, facts: { ...fresh, ...facts } });

describe("whose machine it is", () => {
    it("is known by its former name in this cluster, which is no reason to destroy anything", () => {
        const { why, hint } = ask({ noted: "core-1 m2" });
        assert.match(why, /^it is node m2 of this cluster/);
        assert.match(hint!, /It is m2 of this cluster: keep its name, or take m2 out of the program first/);
        assert.equal(ask({ noted: "edge-2 m1" }).hint, undefined);
        const { hint: usual } = new NfvError({ code: "FOREIGN_NODE", cause: "" });
        for (const part of [
            "move /var/lib/pulumi-nfv away",
            "as clusterName (of a StorageServer: serverName) and as an alias",
        ])
            assert.ok(usual.includes(part));
    });

    const table: [promise: string, facts: Partial<MachineStatus>, answer: string, known?: string][] = [
        ["nobody's: nothing is there", {}, "empty"],
        ["ours: prepared and no member yet", { noted: "core-1 m1" }, "ours"],
        ["ours: a member", { noted: "core-1 m1", memberOf: "core-1", traces, authorities: [[ours]] }, "ours"],
        [
            "ours: a half-made member with our authority, whatever became of our notes",
            { traces, authorities: [[ours]] },
            "ours",
        ],
        [
            "ours: half reset, only etcd's data is left",
            { noted: "core-1 m1", traces: ["/var/lib/etcd/member"] },
            "ours",
        ],
        ["ours: its authority is being exchanged", { traces, authorities: [[theirs, ours]] }, "ours"],
        ["another's: its notes name another cluster", { noted: "edge-2 m1" }, "foreign"],
        ["another's: it is another node of our cluster", { noted: "core-1 m2" }, "foreign"],
        ["another's: made by kubeadm with another authority", { traces, authorities: [[theirs]] }, "foreign"],
        [
            "another's: prepared by us, then joined elsewhere by hand",
            { noted: "core-1 m1", memberOf: "core-1", traces, authorities: [[theirs]] },
            "foreign",
        ],
        [
            "another's: kubelet and authority do not agree",
            { noted: "core-1 m1", traces, authorities: [[ours], [theirs]] },
            "foreign",
        ],
        [
            "ours: an empty or broken authority is damage where we noted the machine",
            { noted: "core-1 m1", traces, authorities: [["unreadable"]] },
            "ours",
        ],
        [
            "another's: one authority cannot be read, the other is not ours",
            { noted: "core-1 m1", traces, authorities: [["unreadable"], [theirs]] },
            "foreign",
        ],
        [
            "another's: its authority can be read in part, and that is not ours",
            { noted: "core-1 m1", traces, authorities: [["unreadable", theirs]] },
            "foreign",
        ],
        ["ours: a member without its agent's note", { memberOf: "core-1", traces }, "ours"],
        ["ours: an init that was interrupted, without its agent's note", { initStarted: "core-1", traces }, "ours"],
        ["another's: its authority cannot be read", { traces, authorities: [["unreadable"]] }, "foreign"],
        ["another's: a server of etcd alone", { traces: ["/var/lib/etcd/member"] }, "foreign"],
        ["another's: k3s", { traces: ["/etc/rancher/k3s"] }, "foreign"],
        ...otherInstallers.map((trace): [string, Partial<MachineStatus>, string] => [
            `another's: prepared by us, reset by hand, then given to the installer of ${trace}`,
            { noted: "core-1 m1", memberOf: "core-1", traces: [trace] },
            "foreign",
        ]),
        [
            "ours: a member beside which another installer has left something",
            { noted: "core-1 m1", memberOf: "core-1", traces: [...traces, "/etc/rancher/k3s"], authorities: [[ours]] },
            "ours",
        ],
    ];
    for (const [promise, facts, answer] of table) it(promise, () => assert.equal(ask(facts).ownership, answer));

    it("is told without our authority by what was noted at the join", () => {
        const member = { noted: "core-1 m1", memberOf: "core-1", traces, authorities: [[theirs]] };
        const unknown = (facts: Partial<MachineStatus>) =>
            ownershipOf({ clusterId: "core-1", name: "m1", facts: { ...fresh, ...facts } }).ownership;
        assert.deepEqual([unknown(member), unknown({ ...member, authorityChanged: true })], ["ours", "foreign"]);
        assert.equal(unknown({ traces, authorities: [[theirs]] }), "foreign");
    });
});

describe("what a machine shows of its cluster", () => {
    let root: string;
    let identity: Identity;

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-traces-"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const put = (file: string, content: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), content);
    };
    const look = (wholeScript = tracesScript) => {
        const script = wholeScript.replace(/\/(etc|var)\//g, `${root}/$1/`);
        const { stdout, stderr, status } = spawnSync("sh", ["-eu"], { input: script, encoding: "utf8" });
        assert.deepEqual([stderr, status], ["", 0]);
        return { stdout, facts: parseMachineStatus(stdout.replaceAll(root, "")) };
    };

    it("is nothing on a blank one, and on one of a golden image", () => {
        assert.deepEqual(look().facts, fresh);
        mkdirSync(join(root, "etc/kubernetes/manifests"), { recursive: true });
        mkdirSync(join(root, "var/lib/kubelet/pki"), { recursive: true });
        mkdirSync(join(root, "var/lib/etcd"), { recursive: true });
        assert.deepEqual(look().facts, fresh);
    });

    it("is another's where kubelet runs pods of a user's own from files", () => {
        put("etc/kubernetes/manifests/my-proxy.yaml", "kind: Pod\n");
        const { facts } = look();
        assert.deepEqual(facts.traces, ["/etc/kubernetes/manifests/my-proxy.yaml"]);
        assert.equal(ask(facts).ownership, "foreign");
    });

    it("is authority, API server, node name and traces, and never a key or a token", async () => {
        const { caCertificate, caKey } = identity;
        const client = await createClientCertificate(
            { certificate: caCertificate, key: caKey },
            { commonName: "system:node:fm1", organization: "system:nodes", validDays: 1 },
        );
        const data = Buffer.from(caCertificate).toString("base64");
        put("etc/kubernetes/pki/ca.crt", caCertificate);
        put("etc/kubernetes/pki/ca.key", caKey);
        put(
            "etc/kubernetes/kubelet.conf",
            `clusters:\n- cluster:\n    certificate-authority-data: ${data}\n    server: https://10.0.0.9:6443\nusers:\n- user:\n    token: canary-token\n    client-key-data: canary-data\n`,
        );
        put("var/lib/kubelet/pki/kubelet-client-current.pem", `${client.certificate}${client.key}`);
        put("var/lib/pulumi-nfv/cluster", "edge-2 m7\n");
        const { stdout, facts } = look();
        assert.deepEqual(facts.authorities, [[caCertHash(caCertificate)]]);
        assert.deepEqual(
            [facts.servers, facts.nodeNames, facts.noted],
            [["https://10.0.0.9:6443"], ["fm1"], "edge-2 m7"],
        );
        assert.deepEqual(facts.traces, [
            "/etc/kubernetes/kubelet.conf",
            "/etc/kubernetes/pki/ca.crt",
            "/var/lib/kubelet/pki/kubelet-client-current.pem",
        ]);
        for (const secret of [caKey, client.key].map(pem => pem.split("\n")[1]!)) {
            const decoded = stdout.split("\n").map(line => Buffer.from(line.split("=")[1] ?? "", "base64").toString());
            assert.ok(!stdout.includes(secret) && !decoded.join("\n").includes(secret));
        }
        assert.doesNotMatch(stdout, /canary/);
    });

    it("comes with the authority by which the cluster is known, after a rotation that the machine has noted", async () => {
        const { certificate: next } = await createAuthority("kubernetes-2", 1);
        const [first, now] = [identity.caCertificate, next].map(caCertHash);
        const config = (pem: string) => `    certificate-authority-data: ${Buffer.from(pem).toString("base64")}\n`;
        put("etc/kubernetes/pki/ca.crt", next);
        put("etc/kubernetes/kubelet.conf", config(next));
        assert.deepEqual(look().facts.authorities, [[now]]);
        put("var/lib/pulumi-nfv/authority", next + identity.caCertificate);
        assert.deepEqual(look().facts.authorities, [[now, now, first]]);
        const { certificate: strange } = await createAuthority("kubernetes-3", 1);
        put("etc/kubernetes/kubelet.conf", config(strange));
        assert.deepEqual(look().facts.authorities, [[now, now, first], [caCertHash(strange)]], "only what is noted");
    });

    it("is the authority of the join as long as it has the same key: a renewed certificate is no other cluster", async () => {
        const { caCertificate, caKey } = identity;
        const stranger = await createAuthority("kubernetes", 1);
        put("ca.key", caKey);
        const renew = ["req", "-x509", "-new", "-key", join(root, "ca.key"), "-subj", "/CN=kubernetes", "-days", "9"];
        const renewed = spawnSync("openssl", renew, { encoding: "utf8" }).stdout;
        assert.equal(caCertHash(renewed), caCertHash(caCertificate));
        assert.notEqual(renewed, caCertificate);
        put("var/lib/pulumi-nfv/authority", caCertificate);
        const changedWith = (now: string) => {
            put("etc/kubernetes/pki/ca.crt", now);
            return look(machineStatusScript).facts.authorityChanged;
        };
        assert.equal(changedWith(caCertificate), false);
        assert.equal(changedWith(renewed), false);
        assert.equal(
            changedWith(`${stranger.certificate}${renewed}`),
            false,
            "both, while one is exchanged for the other",
        );
        assert.equal(changedWith(stranger.certificate), true);
        assert.equal(changedWith(""), false, "an empty file is damage");
    });

    it("says whether kubelet and the container runtime run, of a member only", () => {
        const areStopped = (states: string) =>
            look(`systemctl() { printf '%s\\n' ${states}; }\ntimeout() { shift; "$@"; }\n${machineStatusScript}`).facts
                .areServicesStopped;
        assert.equal(areStopped("inactive active"), undefined, "no member");
        put("var/lib/pulumi-nfv/member", "core-1\n");
        assert.equal(areStopped("active active"), undefined);
        for (const states of ["inactive active", "active failed", "activating active"])
            assert.equal(areStopped(states), true, states);
    });

    const reasons: [facts: Partial<MachineStatus>, why: string, known?: string][] = [
        [{ noted: "edge-2 m7" }, "it is node m7 of cluster edge-2"],
        [{ noted: "core-1 m1", memberOf: "edge-2" }, "it is a member of cluster edge-2"],
        [{ noted: "core-1 m1", initStarted: "edge-2" }, "it is a member of cluster edge-2"],
        [{ noted: "core-1 m1", authorityChanged: true }, "its authority is another one than at the join"],
        [{ traces: ["/etc/k0s"] }, "another installer put Kubernetes there\nfound: /etc/k0s"],
        [{ traces }, `it has parts of a cluster that we did not make\nfound: ${traces[0]}`],
    ];
    for (const [facts, expected] of reasons) {
        it(`is said in the refusal: ${expected.split("\n")[0]}`, () => {
            const { ownership, why } = ask(facts);
            assert.deepEqual([ownership, why], ["foreign", expected]);
        });
    }

    it("is said in the refusal, also where our own authority is not known", () => {
        const facts = { ...fresh, traces, authorities: [[theirs]] };
        const { why } = ownershipOf({ clusterId: "core-1", name: "m1", facts });
        assert.match(why, /^it has parts of a cluster.*\nits authority's key: sha256:theirs\nfound: /);
    });

    it("is shortened in the refusal: four traces, and how many more", () => {
        const found = (count: number) =>
            ask({ traces: ["a", "b", "c", "d", "e", "f"].slice(0, count) }).why.split("\n")[1];
        assert.equal(found(4), "found: a, b, c, d");
        assert.equal(found(5), "found: a, b, c, d, and 1 more");
        assert.equal(found(6), "found: a, b, c, d, and 2 more");
    });

    it("is said in the refusal", () => {
        const { why } = ask({
            traces,
            authorities: [[theirs]],
            servers: ["https://10.0.0.9:6443"],
            nodeNames: ["fm1"],
        });
        assert.equal(
            why,
            [
                "its authority is not that of our cluster",
                "node name: fm1",
                "API server: https://10.0.0.9:6443",
                "its authority's key: sha256:theirs",
                "ours: sha256:ours",
                "found: /etc/kubernetes/kubelet.conf",
            ].join("\n"),
        );
    });
});
