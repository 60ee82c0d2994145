import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caCertHash, newKeySet } from "../../../../../provider/identity";
import { authorityFile, requestNotes, restoredNote, rotatedFile } from "../../../../../provider/kubeadm/paths";
import { joinCluster } from "../../../../../provider/member/join/join-cluster";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

/** What is done on a ready control-plane node before a worker joins. curl gets `code` from the API; kubectl knows the node by `address`. */
async function prepared(code: string, address = "") {
    const spec = await nodeSpec({ role: "worker", name: "w1", address: "10.0.0.21" });
    const { run, env } = joinCluster("join")(spec)!.preparation!;
    const programs = `
        curl() { printf '{}\\n${code}'; }
        kubeadm() { echo abcdef.0123456789abcdef; }
    `;
    const answers = [{ when: /get node w1/, stdout: address }];
    const { stdout, calls, ...ran } = runWithKubectl(`${programs}${run}`, env!, answers);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(stdout, "abcdef.0123456789abcdef\n");
    return calls.map(call => / (get|delete) node /.exec(` ${call}`)?.[1]);
}

describe("before a machine joins", () => {
    it("kubectl has nothing to do where the API knows no node of this name", async () => {
        assert.deepEqual(await prepared("404"), []);
    });

    it("the node of a former machine with its address goes, also where the API could not be asked by curl", async () => {
        for (const code of ["200", "403", "000"]) {
            assert.deepEqual(await prepared(code, "10.0.0.21"), ["get", "get", "delete"], code);
        }
    });

    for (const [what, healthy] of [
        ["is removed where it does not answer: its machine is gone", false],
        ["stops the join where it answers: it is no former machine", true],
    ] as const) {
        it(`a member of etcd of this name at another address ${what}`, async () => {
            const spec = await nodeSpec({ role: "controlPlane", name: "m3", address: "10.0.0.13" });
            const { run, env } = joinCluster("join")(spec)!.preparation!;
            const programs = `
                curl() { case "$*" in *member/list*) echo '{"members":[{"ID":"3","name":"m3"}]}' ;; *) printf '{}\n404' ;; esac; }
                kubeadm() { echo abcdef.0123456789abcdef; }
                sleep() { :; }
            `;
            const members =
                "1a, started, m1, https://10.0.0.11:2380, https://10.0.0.11:2379, false\n" +
                "3c, started, m3, https://10.0.0.23:2380, https://10.0.0.23:2379, false\n";
            const answers = [
                { when: /endpoint health --endpoints=https:\/\/10\.0\.0\.23:2379/, code: healthy ? 0 : 1 },
                { when: /member list/, stdout: members },
                { when: /get pods/, stdout: "pod/etcd-m1\n" },
            ];
            const { code, stderr, calls } = runWithKubectl(`${programs}${run}`, env!, answers);
            assert.equal(code, healthy ? exitCodes.QUORUM_AT_RISK : 0, stderr);
            if (healthy) assert.match(stderr, /etcd has m3 at https:\/\/10\.0\.0\.23:2380, where it answers/);
            assert.equal(
                calls.some(call => /member remove 3c/.test(call)),
                !healthy,
            );
        });
    }

    const living = "3c, started, m3, https://10.0.0.13:2380, https://10.0.0.13:2379, false\n";
    interface Living {
        member?: string;
        proven?: boolean;
        token?: string;
        answers?: boolean;
        refused: boolean;
    }
    const ofAnother = living.replace(" m3,", " m9,");
    const cases: Record<string, Living> = {
        "of its name and address that answers stops the join: another machine answers by SSH": { refused: true },
        "of its name and address goes where it does not answer": { answers: false, refused: false },
        "of its name and address goes that a try to join has begun": { token: "join of m3", refused: false },
        "of its name and address goes where the machine has proven that it is that one": {
            proven: true,
            refused: false,
        },
        "of its address alone that answers stops the join, whatever was proven": {
            ...{ member: ofAnother, proven: true, token: "join of m3", refused: true },
        },
    };
    for (const [what, { member = living, proven = false, token = "", answers = true, refused }] of Object.entries(
        cases,
    ))
        it(`a member of etcd ${what}`, async () => {
            const spec = await nodeSpec({ role: "controlPlane", name: "m3", address: "10.0.0.13" });
            const { run, env } = joinCluster("join", { proven })(spec)!.preparation!;
            const programs = `
                curl() { case "$*" in *member/list*) echo '{"members":[{"ID":"3","peerURLs":["https://10.0.0.13:2380"]}]}' ;; *) printf '{}\n404' ;; esac; }
                kubeadm() { echo abcdef.0123456789abcdef; }
                sleep() { :; }
            `;
            const { code, stderr, calls } = runWithKubectl(`${programs}${run}`, env!, [
                { when: /endpoint health --endpoints=/, code: answers ? 0 : 1 },
                { when: /member list/, stdout: member },
                { when: /get secrets/, stdout: token && `${Buffer.from(token).toString("base64")}\n` },
                { when: /get pods/, stdout: "pod/etcd-m1\n" },
            ]);
            assert.equal(code, refused ? exitCodes.QUORUM_AT_RISK : 0, stderr);
            if (refused)
                assert.match(
                    stderr,
                    /where it answers: it lives there, and is another machine than the one .* at 10\.0\.0\.13/,
                );
            assert.equal(
                calls.some(call => /member remove 3c/.test(call)),
                !refused,
            );
        });

    for (const [ready, token, refused] of [
        ["True", "", true],
        ["True", "join of w1", false],
        ["Unknown", "", false],
    ] as const)
        it(`a Node of its name and address that is Ready: ${ready}, ${token || "no token"}: ${refused ? "stops the join" : "goes"}`, async () => {
            const spec = await nodeSpec({ role: "worker", name: "w1", address: "10.0.0.21" });
            const { run, env } = joinCluster("join")(spec)!.preparation!;
            const programs = `curl() { printf '{}\n200'; }\nkubeadm() { echo abcdef.0123456789abcdef; }\n`;
            const { code, stderr, calls } = runWithKubectl(`${programs}${run}`, env!, [
                { when: /get node w1 .*Ready/, stdout: ready },
                { when: /get node w1/, stdout: "10.0.0.21" },
                { when: /get secrets/, stdout: token && `${Buffer.from(token).toString("base64")}\n` },
            ]);
            assert.equal(code, refused ? exitCodes.QUORUM_AT_RISK : 0, stderr);
            assert.equal(
                calls.some(call => /delete node w1/.test(call)),
                !refused,
            );
        });

    describe("after a rotation of the authorities", () => {
        let folder: string;
        let former: string;
        let next: string;
        before(async () => {
            [former, next] = (await Promise.all([newKeySet(), newKeySet()])).map(
                ({ certificates }) => certificates.caCertificate,
            ) as [string, string];
        });
        beforeEach(() => {
            folder = mkdtempSync(join(tmpdir(), "nfv-join-"));
            mkdirSync(join(folder, "pki"));
            writeFileSync(join(folder, "pki/ca.crt"), next);
            writeFileSync(join(folder, "authority"), next + former);
        });
        afterEach(() => rmSync(folder, { recursive: true, force: true }));

        /** The pin that the machine gets, where cluster-info has the authority. */
        const pinFor = async (published: string) => {
            const spec = await nodeSpec({ role: "worker", name: "w1", address: "10.0.0.21" });
            const { run, env } = joinCluster("join")(spec)!.preparation!;
            const programs = `curl() { printf '{}\n404'; }\nkubeadm() { echo abcdef.0123456789abcdef; }\n`;
            const here = run
                .replaceAll("/etc/kubernetes/pki", join(folder, "pki"))
                .replaceAll(authorityFile, join(folder, "authority"));
            const data = `    certificate-authority-data: ${Buffer.from(published).toString("base64")}\n`;
            const answers = [{ when: /get configmap cluster-info/, stdout: published && data }];
            const { code, stdout, stderr } = runWithKubectl(programs + here, env!, answers);
            assert.equal(code, 0, stderr);
            assert.match(stdout, /^authorities /m);
            return /^ca (.*)$/m.exec(stdout)?.[1];
        };

        for (const [role, told] of [
            ["controlPlane", "rotated core-1 authorities\nrotated core-1 encryption\n"],
            ["worker", ""],
        ] as const)
            it(`a ${role} node is ${told === "" ? "not " : ""}told which first keys the cluster has left`, async () => {
                writeFileSync(join(folder, "rotated"), "core-1 authorities\ncore-1 encryption\n");
                const spec = await nodeSpec({ role, name: "x1", address: "10.0.0.21" });
                const { run, env } = joinCluster("join")(spec)!.preparation!;
                const programs = `
                    curl() { case "$*" in *member/list*) echo '{"members":[]}' ;; *) printf '{}\n404' ;; esac; }
                    kubeadm() { echo abcdef.0123456789abcdef; }
                `;
                const here = run.replaceAll(rotatedFile, join(folder, "rotated"));
                const { code, stdout, stderr } = runWithKubectl(programs + here, env!, []);
                assert.equal(code, 0, stderr);
                assert.equal(stdout.split(/^ca .*\n|^authorities .*\n/m).join(""), `${told}abcdef.0123456789abcdef\n`);
            });

        it("the pin is that of cluster-info, which has the former one where a run was stopped before its end", async () => {
            assert.equal(await pinFor(former), caCertHash(former));
            assert.equal(await pinFor(next), caCertHash(next));
        });

        it("the pin is that of the node's own authority where cluster-info has none, or one of others", async () => {
            const { caCertificate } = (await newKeySet()).certificates;
            for (const published of ["", caCertificate]) assert.equal(await pinFor(published), caCertHash(next));
        });
    });

    for (const [role, note, told] of [
        ["controlPlane", "2026-11 done boot-1", "restored a 0123abcd\nrequest os-upgrade 2026-11\n"],
        ["worker", "2026-11 done boot-1", "request os-upgrade 2026-11\n"],
        ["controlPlane", "2026-11 upgraded boot-1", "restored a 0123abcd\n"],
    ] as const)
        it(`a ${role} node is told what the cluster has done by a word: ${told.replaceAll("\n", "; ")}`, async () => {
            const folder = mkdtempSync(join(tmpdir(), "nfv-notes-"));
            try {
                writeFileSync(join(folder, "restored"), "a 0123abcd\n");
                mkdirSync(join(folder, "requests"));
                writeFileSync(join(folder, "requests/os-upgrade"), `${note}\n`);
                const spec = await nodeSpec({ role, name: "x1", address: "10.0.0.21" });
                const { run, env } = joinCluster("join")(spec)!.preparation!;
                const programs = `
                    curl() { case "$*" in *member/list*) echo '{"members":[]}' ;; *) printf '{}\n404' ;; esac; }
                    kubeadm() { echo abcdef.0123456789abcdef; }
                `;
                const here = run
                    .replaceAll(restoredNote, join(folder, "restored"))
                    .replaceAll(requestNotes, join(folder, "requests"));
                const { code, stdout, stderr } = runWithKubectl(programs + here, env!, []);
                assert.equal(code, 0, stderr);
                assert.equal(stdout, `${told}abcdef.0123456789abcdef\n`);
            } finally {
                rmSync(folder, { recursive: true, force: true });
            }
        });

    it("a node of this name with another address stays: kubeadm refuses the name", async () => {
        assert.deepEqual(await prepared("200", "10.0.0.99"), ["get"]);
    });
});
