import assert from "node:assert/strict";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { SnapshotMachine } from "./snapshot-machine";

describe("snapshots of etcd on a control-plane node", () => {
    let machine: SnapshotMachine;
    beforeEach(() => {
        machine = new SnapshotMachine();
    });
    afterEach(() => machine.remove());

    const failed = ({ code, stderr }: { code: number | null; stderr: string }, pattern: RegExp) => {
        assert.equal(code, exitCodes.BACKUP_FAILED, stderr);
        assert.match(stderr, pattern);
    };
    const succeeds = ({ code, stderr }: { code: number | null; stderr: string }) => assert.equal(code, 0, stderr);
    const asked = (word: string) => machine.snapshots.filter(({ tags }) => tags.includes(`asked@${word}`)).length;

    it("are proven, stored with what belongs to them, and noted; nothing of them stays on the node", () => {
        succeeds(machine.start(machine.specOf({ program: "v1" })));
        const [made, ...others] = machine.snapshots;
        assert.deepEqual(others, []);
        assert.deepEqual(
            made!.tags.map(each => each.replace(/^(identity@)[0-9a-f]{16}$/, "$1ID")),
            ["etcd", "identity@ID", "revision@4711", "of@m1", "program@v1"],
        );
        assert.match(
            machine.read("saved/about"),
            /^cluster=core-12345678\nnode=m1\n[\s\S]*\nrevision=4711\nkeys=12\n[\s\S]*\netcd=3\.6\.6\nkubernetes=1\.34\.4\n$/,
        );
        assert.match(machine.read("notes/etcd.done"), /^\d{4}-\S+Z 00000010 4711\n$/);
        assert.deepEqual(
            machine.list("notes").filter(name => /work|words|failed/.test(name)),
            [],
        );
        assert.ok(!machine.has("image"));
    });

    it("keep no key: the fingerprint says only whether the keys are the same", () => {
        succeeds(machine.start(machine.specOf()));
        const identity = () => machine.snapshots.at(-1)!.tags[1];
        const before = identity();
        assert.doesNotMatch(machine.read("saved/about") + machine.read("restic-calls"), /canary/);
        succeeds(machine.asked());
        assert.equal(identity(), before);
        machine.write("kubernetes/pulumi-nfv/encryption.yaml", "            secret: another==\n");
        succeeds(machine.asked());
        assert.notEqual(identity(), before);
    });

    it("are made at first by the first node only, and then for each new word once, also by another first node", () => {
        succeeds(machine.start(machine.specOf({}, { turn: 0 })));
        succeeds(machine.start(machine.specOf({ run: "one" })));
        succeeds(machine.start(machine.specOf({ run: "one" })));
        assert.deepEqual([machine.snapshots.length, asked("one")], [2, 1]);
        machine.write("notes/etcd.run", "");
        succeeds(machine.start(machine.specOf({ run: "one" })));
        assert.equal(asked("one"), 1);
        succeeds(machine.start(machine.specOf({ run: "two" }, { turn: 1 })));
        assert.equal(asked("two"), 0);
    });

    it("are made at once in a repository that has none, also under a word that was asked for before", () => {
        succeeds(machine.start(machine.specOf({ run: "one" })));
        machine.write("snapshots", "");
        for (const _ of [1, 2]) {
            succeeds(machine.start(machine.specOf({ run: "one" })));
            assert.equal(machine.snapshots.length, 1);
        }
        machine.write("snapshots", "");
        succeeds(machine.start(machine.specOf({ run: "one" }, { turn: 1 })));
        assert.equal(machine.snapshots.length, 0, "by the first control-plane node only");
    });

    it("are in one folder for all nodes: one without the repository of the first is refused", () => {
        failed(machine.start(machine.specOf({}, { turn: 1 })), /must be the same folder on all of them/);
        assert.deepEqual(machine.commands, []);
    });

    it("with a wrong password are an error of `up`, and nothing is stored", () => {
        succeeds(machine.start(machine.specOf()));
        failed(
            machine.start(machine.specOf({ password: "other", run: "one" })),
            /backup etcd: its repository cannot be opened: wrong password/,
        );
        assert.equal(machine.snapshots.length, 1);
    });

    it("start their timer only when the repository is open", () => {
        machine.write("fail-cat", "echo 'Fatal: no route to host' >&2; exit 1");
        failed(machine.start(machine.specOf({ schedule: "hourly" })), /no route to host/);
        assert.doesNotMatch(machine.read("systemctl-calls"), /enable/);
        machine.drop("fail-cat");
        succeeds(machine.start(machine.specOf({ schedule: "hourly" })));
        assert.match(machine.read("systemctl-calls"), /enable --now pulumi-nfv-etcd-snapshot.timer/);
    });

    describe("that a timer starts", () => {
        beforeEach(() => {
            succeeds(machine.start(machine.specOf({}, { turn: 0 })));
            // older than the next run
            machine.write(
                "snapshots",
                machine.read("snapshots").replace(/"time":"[^"]*"/, '"time":"2020-01-01T00:00:00Z"'),
            );
        });

        it("are made at once by the node with the leader", () => {
            succeeds(machine.scheduled());
            assert.equal(machine.snapshots.length, 2);
            assert.equal(machine.read("slept"), "");
        });

        it("are left to that node by the others, who look later whether it is there", () => {
            machine.leader(false);
            machine.configure(machine.specOf({}, { turn: 1 }));
            machine.write(
                "while-waiting",
                `printf '{"time":"%s","paths":[],"tags":["etcd"],"id":"aa","short_id":"aa"}\\n' "$(date -u +%FT%TZ)" >> "$ROOT/snapshots"`,
            );
            succeeds(machine.scheduled());
            assert.equal(machine.read("slept"), "600\n");
            assert.equal(machine.snapshots.length, 2);
            assert.doesNotMatch(machine.read("etcd-calls").split("\n").slice(2).join(), /save/);
        });

        it("are made by the next node where the one with the leader made none", () => {
            machine.leader(false);
            succeeds(machine.scheduled());
            assert.equal(machine.snapshots.length, 2);
        });

        it("are no matter of a machine that runs no etcd at the moment", () => {
            machine.drop("kubernetes/manifests/etcd.yaml");
            succeeds(machine.scheduled());
            assert.equal(machine.snapshots.length, 1);
            assert.ok(!machine.has("notes/etcd.failed"));
        });
    });

    for (const [what, prepare, pattern] of [
        ["that are damaged", (m: SnapshotMachine) => m.write("damaged", ""), /another checksum than etcd wrote/],
        [
            "without a majority",
            (m: SnapshotMachine) => m.write("no-majority", ""),
            /has no majority or does not answer/,
        ],
        [
            "that restic cannot store",
            (m: SnapshotMachine) => m.write("fail-backup", "echo 'Fatal: disk full' >&2; exit 1"),
            /restic failed: disk full/,
        ],
    ] as const) {
        it(`${what} fail: it is noted until one succeeds, and \`up\` makes one then`, () => {
            succeeds(machine.start(machine.specOf()));
            prepare(machine);
            failed(machine.scheduled(), pattern);
            assert.equal(machine.snapshots.length, 1);
            assert.match(machine.observed(), /the last snapshot of etcd failed: /);
            assert.deepEqual(
                machine.list("notes").filter(name => /work|words/.test(name)),
                [],
            );
            for (const name of ["damaged", "no-majority", "fail-backup"]) machine.drop(name);
            succeeds(machine.start(machine.specOf()));
            assert.equal(machine.snapshots.length, 2);
            machine.write("timer", "");
            assert.equal(machine.observed(), "");
        });
    }

    it("delete older ones as the program says, but not where restic knows a newer one", () => {
        succeeds(machine.start(machine.specOf({ keep: { last: 3 } })));
        assert.match(
            machine.read("restic-calls"),
            /^forget --quiet --host core-12345678 --tag etcd --group-by host --keep-last 3 --prune$/m,
        );
        machine.write("restic-calls", "");
        machine.write("fail-forget", "exit 9");
        machine.write(
            "fail-snapshots",
            `echo '[{"time":"2099-01-01T00:00:00Z","paths":[],"tags":["etcd"],"id":"ff","short_id":"ff"}]'; exit 0`,
        );
        failed(machine.asked(), /no older one was deleted, because restic has a newer one: ff of 2099/);
        assert.ok(!machine.commands.includes("forget"));
    });

    it("go with all that belongs to them, and what is stored stays", () => {
        succeeds(machine.start(machine.specOf({ schedule: "hourly" })));
        machine.write("units/pulumi-nfv-etcd-snapshot.timer", "");
        succeeds(machine.runScript("etcd/remove-snapshots.sh"));
        for (const name of ["settings", "notes", "cache", "units", "program"])
            assert.deepEqual(machine.has("program") ? ["program"] : machine.list(name), []);
        assert.equal(machine.snapshots.length, 1);
    });
});
