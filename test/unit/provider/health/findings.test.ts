import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { HealthFacts } from "../../../../provider/health/facts";
import { cures, findings, type Sight, wordsOf } from "../../../../provider/health/findings";
import { foundIn, healTable, samples } from "../../../../provider/health/heal-table";

const well: HealthFacts = {
    ...{ uptimeSeconds: 86_400, joined: true, kubelet: "active", runtime: "active", runtimeAnswers: true },
    ...{ disks: [], certificates: {}, pods: {} },
};
const codes = (sight: Partial<Sight>) => findings({ name: "w2", joined: true, ...sight }).map(({ code }) => code);
const ofMachine = (facts: Partial<HealthFacts>) => codes({ machine: { ...well, ...facts } });

describe("what a refresh finds", () => {
    for (const [code, sight] of Object.entries(samples)) {
        it(`${code}, and in its sample nothing else`, () => {
            assert.deepEqual(
                foundIn(sight).map(found => found.code),
                [code],
            );
            assert.ok(!wordsOf(foundIn(sight)).includes("\n"));
            const { up, person } = foundIn(sight)[0]!;
            assert.ok((up === undefined) !== (person === undefined), "either up does something, or a person");
        });
    }

    it("is all in docs/how-it-works.md (printed by `npx tsx provider/health/heal-table.ts`)", () => {
        assert.ok(readFileSync("docs/how-it-works.md", "utf8").includes(`\n${healTable()}\n`));
    });

    it("is one line, which says what up does", () => {
        const sight: Sight = { name: "w2", joined: true, machine: { ...well, kubelet: "failed", runtime: "inactive" } };
        assert.equal(
            wordsOf(findings(sight)),
            "the kubelet is not running; pulumi up starts it again. the container runtime is not running; pulumi up starts it again",
        );
    });

    it("has the mildest cure first, and each cure is in the order", () => {
        const machine = { ...well, kubelet: "inactive", runtime: "inactive", etcd: "ALARM NOSPACE" };
        const found = findings({ name: "m1", joined: true, machine, node: { forgotten: true } }).map(
            ({ cure }) => cure,
        );
        assert.deepEqual(found, ["restart kubelet", "restart container runtime", "free etcd's space", "join again"]);
        for (const sight of Object.values(samples))
            for (const { cure } of foundIn(sight)) assert.ok(cures.includes(cure));
    });

    it("is nothing on a machine that is well, and nothing where nothing could be asked", () => {
        assert.deepEqual(ofMachine({}), []);
        assert.deepEqual(codes({}), []);
        assert.deepEqual(codes({ machine: { joined: false, disks: [], certificates: {}, pods: {} } }), []);
        assert.deepEqual(ofMachine({ kubelet: "unknown", runtime: "unknown", runtimeAnswers: undefined }), []);
    });

    it("never makes up reboot or replace a machine: a lost server is the only one that is made again", () => {
        const heavy = Object.values(samples).flatMap(foundIn);
        const byUp = heavy.filter(
            ({ up, cure }) => up !== undefined && cures.indexOf(cure) > cures.indexOf("restart container runtime"),
        );
        assert.deepEqual(
            byUp.map(({ code }) => code),
            [
                "api-server-certificate-ended",
                "kubelet-certificate-ended",
                "etcd-no-space",
                "etcd-fragmented",
                "server-gone",
                "node-forgotten",
            ],
        );
    });

    it("is no service of a machine that has just started, and no kubelet before the join", () => {
        assert.deepEqual(
            ofMachine({ uptimeSeconds: 300, kubelet: "inactive", runtime: "inactive", pods: { etcd: "stopped" } }),
            [],
        );
        assert.deepEqual(codes({ joined: false, machine: { ...well, kubelet: "inactive" } }), []);
    });

    it("is not found twice: kubelet and the static pods need the container runtime, and the pods need kubelet", () => {
        const pods = { etcd: "stopped" };
        assert.deepEqual(ofMachine({ runtime: "inactive", kubelet: "activating", pods }), ["runtime-stopped"]);
        assert.deepEqual(ofMachine({ kubelet: "inactive", pods }), ["kubelet-stopped"]);
        assert.deepEqual(ofMachine({ pods, etcd: "silent" }), ["static-pods-stopped"]);
    });

    it("is a node that is NotReady for five minutes; beside another finding without a cure of its own", () => {
        const since = (seconds: number) => ({
            ready: { status: "False", since: new Date(Date.now() - seconds * 1000).toISOString() },
        });
        assert.deepEqual(codes({ node: since(290) }), []);
        assert.deepEqual(codes({ node: since(310) }), ["not-ready"]);
        assert.deepEqual(codes({ node: { ready: { status: "True", since: "2020-01-01T00:00:00Z" } } }), []);
        const found = findings({
            name: "w2",
            joined: true,
            machine: { ...well, kubelet: "inactive" },
            node: since(310),
        });
        assert.match(
            wordsOf(found),
            /^its node is NotReady since \S+Z\. the kubelet is not running; pulumi up starts it again$/,
        );
    });

    describe("of a disk", () => {
        const disk = (folder: string, free: number, freeInodes = 1000) => ({
            ...{ folder, device: folder, size: 1000, free, inodes: 1000, freeInodes },
        });
        const full = (...disks: HealthFacts["disks"]) =>
            findings({ name: "w2", machine: { ...well, disks } }).map(({ text }) => text);

        it("begins where kubelet evicts: each folder has its own limit", () => {
            for (const [folder, least] of [
                ["/var/lib/kubelet", 100],
                ["/var/lib/containerd", 150],
                ["/var/lib/etcd", 100],
                ["/", 100],
            ] as const) {
                assert.deepEqual(full(disk(folder, least)), [], folder);
                assert.equal(full(disk(folder, least - 1)).length, 1, folder);
                assert.deepEqual(full(disk(folder, 1000, 50)), [], folder);
                assert.equal(full(disk(folder, 1000, 49)).length, 1, folder);
            }
        });

        it("follows kubelet's own settings, in shares and in bytes; those that it does not name are 0", () => {
            const evictions = { "nodefs.available": "0%", "imagefs.available": "1Ki" };
            const disks = [disk("/var/lib/kubelet", 1, 1), disk("/var/lib/containerd", 900, 1)];
            assert.deepEqual(
                findings({ name: "w2", machine: { ...well, evictions, disks } }).map(({ text }) => text),
                ["10 % of the space of /var/lib/containerd is used"],
            );
        });

        it("is found once for each file system, which may have no limit of inodes", () => {
            const same = [disk("/var/lib/kubelet", 50), disk("/var/lib/containerd", 50)].map(each => ({
                ...each,
                device: "1",
            }));
            assert.deepEqual(full(...same), ["95 % of the space of /var/lib/kubelet is used"]);
            assert.deepEqual(full({ ...disk("/", 500, 0), inodes: 0 }), []);
        });
    });

    it("is a certificate only when it has ended", () => {
        assert.deepEqual(
            ofMachine({ certificates: { apiserver: Date.now() + 60_000, kubelet: Date.now() + 60_000 } }),
            [],
        );
        const ended = { kubelet: Date.now() - 1 };
        assert.deepEqual(ofMachine({ certificates: ended }), ["kubelet-certificate-ended"]);
        assert.deepEqual(ofMachine({ certificates: ended, kubelet: "activating" }), ["kubelet-certificate-ended"]);
    });

    it("names the command by which each state of a server ends", () => {
        const [found] = findings({
            name: "w2",
            silent: true,
            server: { id: "x", status: "SHELVED_OFFLOADED" },
        });
        assert.equal(found!.person, "openstack server unshelve x");
        assert.deepEqual(codes({ silent: true, server: { id: "x", status: "ACTIVE" } }), ["machine-silent"]);
    });
});
