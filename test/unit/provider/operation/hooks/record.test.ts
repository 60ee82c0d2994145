import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
    forgetCluster,
    forgetRecords,
    HookRecord,
    isTerminating,
    noteTermination,
    recordsVariable,
} from "../../../../../provider/operation/hooks/record";
import { ownFolder } from "./fixtures";
import { endOthers, otherProcess } from "./other-process";

describe("the record of a hook", () => {
    const folder = ownFolder();
    afterEach(endOthers);

    const record = (operation = "7", hook = "dns") => new HookRecord("c0ffee", operation, hook);
    const files = () => readdirSync(join(folder.path, "records", "c0ffee")).sort();

    it("counts the attempts of each event", () => {
        assert.deepEqual(record().begin("scale_start"), { attempt: 1, interrupted: false, errorHandlingData: {} });
        record().fail("scale_start");
        assert.deepEqual(record().begin("scale_start"), { attempt: 2, interrupted: false, errorHandlingData: {} });
        record().fail("scale_start");
        assert.equal(record().begin("scale_end").attempt, 1);
        assert.equal(record("8").begin("scale_start").attempt, 1);
        assert.equal(record("7", "bill").begin("scale_start").attempt, 1);
    });

    it("says that an attempt whose end was never written was interrupted", () => {
        record().begin("scale_end");
        assert.deepEqual(record().begin("scale_end"), { attempt: 2, interrupted: true, errorHandlingData: {} });
    });

    it("says so of a success, too: the state of the stack may not have it", () => {
        record().begin("scale_end");
        record().leave({ made: "x" });
        const again = record().begin("scale_end");
        assert.deepEqual(again, { attempt: 2, interrupted: true, errorHandlingData: { made: "x" } });
    });

    it("keeps what attempts leave, merged, for the operation's other events, too", () => {
        record().begin("scale_start");
        record().leave({ ticket: 5, step: "one" });
        record().fail("scale_start", { step: "two" });
        assert.deepEqual(record().begin("scale_end").errorHandlingData, { ticket: 5, step: "two" });
        assert.deepEqual(record("8").begin("scale_start").errorHandlingData, {});
    });

    it("is for its owner only", () => {
        record().begin("scale_end");
        const place = join(folder.path, "records", "c0ffee");
        assert.equal(statSync(place).mode & 0o777, 0o700);
        assert.equal(statSync(join(place, "7-dns.json")).mode & 0o777, 0o600);
    });

    it("begins anew after a power cut that left half a file", () => {
        record().begin("scale_end");
        writeFileSync(join(folder.path, "records", "c0ffee", "7-dns.json"), '{"events":{"scale_e');
        assert.deepEqual(record().begin("scale_end"), { attempt: 1, interrupted: false, errorHandlingData: {} });
    });

    it("names the process of another run that still runs the hook, and none when that is gone", async () => {
        const other = otherProcess(`
            const { HookRecord } = require("./provider/operation/hooks/record");
            new HookRecord("c0ffee", "7", "dns").begin("scale_end");
            console.log("begun");
            setInterval(() => {}, 1000);`);
        assert.equal(await other.line(), "begun");
        assert.equal(record().running("scale_end")?.pid, other.child.pid);
        assert.equal(record().running("scale_start"), undefined);
        assert.equal(record("8").running("scale_end"), undefined);
        other.child.kill("SIGKILL");
        await once(other.child, "exit");
        assert.equal(record().running("scale_end"), undefined);
        assert.deepEqual(record().begin("scale_end"), { attempt: 2, interrupted: true, errorHandlingData: {} });
    });

    it("does not take its own process for another one: retries are in the same run", () => {
        record().begin("scale_end");
        assert.equal(record().running("scale_end"), undefined);
    });

    it("is forgotten when the state has the end of its operation: 9 comes before 10", () => {
        for (const operation of ["8", "9", "10", "11"]) record(operation).begin("scale_end");
        forgetRecords("c0ffee", 10);
        assert.deepEqual(files(), ["10-dns.json", "11-dns.json"]);
        forgetRecords("unknown", 10);
    });

    it("goes with its cluster, and with no other one", () => {
        record().begin("scale_end");
        new HookRecord("c0ffee-2", "7", "dns").begin("scale_end");
        forgetCluster("c0ffee");
        assert.equal(existsSync(join(folder.path, "records", "c0ffee")), false);
        assert.equal(new HookRecord("c0ffee-2", "7", "dns").begin("scale_end").attempt, 2);
        forgetCluster("c0ffee");
    });

    it("never stops a destroy: a home that is no folder", () => {
        process.env[recordsVariable] = "/dev/null/hooks";
        forgetCluster("c0ffee");
        forgetRecords("c0ffee", 8);
        noteTermination("c0ffee");
        assert.equal(isTerminating("c0ffee"), false);
    });

    it("is not in the program's folder if a variable is empty", () => {
        const { XDG_STATE_HOME } = process.env;
        process.env["XDG_STATE_HOME"] = join(folder.path, "state");
        process.env[recordsVariable] = "";
        record().begin("scale_start");
        if (XDG_STATE_HOME === undefined) delete process.env["XDG_STATE_HOME"];
        else process.env["XDG_STATE_HOME"] = XDG_STATE_HOME;
        assert.deepEqual(readdirSync(join(folder.path, "state/pulumi-nfv/hooks/c0ffee")), ["7-dns.json"]);
    });
});
