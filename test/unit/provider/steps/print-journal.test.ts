import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NfvError } from "../../../../provider/common/errors";
import { journalQuery, parsePrintedJournal } from "../../../../provider/steps/print-journal";
import { textOf } from "../../../../provider/steps/query";

const print = "0123456789ab";
const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const uptime = () => Number(readFileSync("/proc/uptime", "utf8").split(".")[0]);

describe("a look at a machine's journal", () => {
    let root: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "print-journal-"));
    });
    afterEach(() => rmSync(root, { recursive: true }));

    const file = (path: string, text: string) => {
        mkdirSync(join(root, path, ".."), { recursive: true });
        writeFileSync(join(root, path), text);
    };
    const look = () => {
        const { argv, ...query } = journalQuery("w1", join(root, "run"), join(root, "state"));
        const said = execFileSync(argv![0]!, argv!.slice(1), { input: textOf(query), encoding: "utf8" });
        return parsePrintedJournal(said, "c1", "w1");
    };

    it("is blank without records, and where there is an empty journal", () => {
        assert.equal(look(), "blank");
        mkdirSync(join(root, "state/journal"), { recursive: true });
        assert.equal(look(), "blank");
    });

    it("shows finished steps, also one that has begun again, and none that is half written; it changes nothing", () => {
        file("state/cluster", "c1 w1\n");
        file("state/journal/host.swap", `${print} @1790000000 0.01\n`);
        file("state/journal/node.labels", "unfinished @1790000000 0\n");
        file("state/journal/host.proxy.new", `${print} @`);
        file("state/journal/host.images", "");
        const before = readdirSync(root, { recursive: true });
        assert.deepEqual(look(), { done: { "host.swap": print, "node.labels": "unfinished" }, running: {} });
        assert.deepEqual(readdirSync(root, { recursive: true }), before);
    });

    it("is foreign on another cluster's machine and on another node, whatever goes on there", () => {
        for (const owner of ["c2 w1", "c1 w2"]) {
            file("state/cluster", `${owner}\n`);
            file("run/lease", `somebody ${uptime() + 30} ${boot}\n`);
            assert.equal(look(), "foreign");
        }
    });

    it("is no answer, and so not another one's machine, where something else is printed, or nothing", () => {
        for (const text of ["", "Welcome to w1\nof c1 w1\n", "of"]) {
            const found = parsePrintedJournal(text, "c1", "w1");
            assert.ok(found instanceof NfvError, text);
            assert.equal(found.code, "STEP_FAILED");
        }
    });

    it("is busy while a run holds the lease, but not for one that is over, or from before a restart", () => {
        file("state/cluster", "c1 w1\n");
        file("state/journal/host.swap", `${print} @1790000000 0\n`);
        const well = { done: { "host.swap": print }, running: {} };
        file("run/lease", `somebody ${uptime() + 30} ${boot}\n`);
        assert.equal(look(), "busy");
        file("run/lease", `somebody ${uptime() - 1} ${boot}\n`);
        assert.deepEqual(look(), well);
        file("run/lease", `somebody ${uptime() + 30} another-boot\n`);
        assert.deepEqual(look(), well);
    });

    it("shows a batch that a stopped run has left running, and none that has ended", async () => {
        file("state/cluster", "c1 w1\n");
        for (const id of ["host.images", "host.swap"]) {
            file(`run/steps/${id}/meta`, `${print} somebody 1\n`);
            file(`run/steps/${id}/alive`, "");
        }
        const alive = join(root, "run/steps/host.images/alive");
        const holder = spawn("flock", [alive, "sh", "-c", "echo held; sleep 60"], { detached: true });
        try {
            await once(holder.stdout, "data");
            assert.deepEqual(look(), { done: {}, running: { "host.images": print } });
            file("run/steps/host.images/rc", "0 1\n");
            assert.equal(look(), "blank");
        } finally {
            process.kill(-holder.pid!, "SIGKILL");
        }
    });
});
