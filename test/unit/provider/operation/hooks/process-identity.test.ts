import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isAlive, itself } from "../../../../../provider/operation/hooks/process-identity";
import { endOthers, otherProcess, untilGone } from "./other-process";

describe("the identity of a process", () => {
    afterEach(endOthers);

    it("is the same each time, and alive while it runs", () => {
        assert.deepEqual(itself(), itself());
        assert.equal(itself().pid, process.pid);
        assert.notEqual(itself().started, "");
        assert.equal(isAlive(itself()), true);
    });

    it("is another one for another process with the same number", () => {
        assert.equal(isAlive({ ...itself(), started: "1" }), false);
        assert.equal(isAlive({ ...itself(), started: "" }), false);
    });

    it("is not alive when the process has ended", async () => {
        const other = otherProcess(`
            const { itself } = require("./provider/operation/hooks/process-identity");
            console.log(JSON.stringify(itself()));
            setInterval(() => {}, 1000);`);
        const identity = JSON.parse(await other.line());
        assert.equal(identity.pid, other.child.pid);
        assert.equal(isAlive(identity), true);
        other.child.kill("SIGKILL");
        await once(other.child, "exit");
        assert.equal(isAlive(identity), false);
    });

    it("is not alive as a zombie, for which its parent never asks", async () => {
        // exec: the shell's child becomes that of sleep, which asks for no children.
        const parent = spawn("sh", ["-c", "sh -c 'echo $$; read line' & exec sleep 60"], {
            stdio: ["ignore", "pipe", "ignore"],
        });
        try {
            const [text] = (await once(parent.stdout, "data")) as [Buffer];
            const pid = Number(text.toString());
            // Its standard input is empty, so it ends at once and stays a zombie.
            await untilGone(pid, 5000);
            for (const started of ["1", String(Date.now())]) assert.equal(isAlive({ pid, started }), false);
        } finally {
            parent.kill("SIGKILL");
        }
    });
});
