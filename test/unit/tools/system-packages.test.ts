import { strict as assert } from "node:assert";
import { ensurePackages } from "../../../tools/system-packages";

describe("packages of the system", () => {
    const machine = (isRoot: boolean, hasApt: boolean, missing: string[]) => ({
        isRoot,
        hasApt,
        missing: async () => missing,
    });

    it("does nothing if all are there", async () => {
        const lines: string[] = [];
        await ensurePackages(["tar"], "a test", {
            machine: machine(false, true, []),
            onProgress: line => lines.push(line),
        });
        assert.deepEqual(lines, []);
    });

    it("says exactly what is missing, and how to get it, where it may not install", async () => {
        await assert.rejects(
            ensurePackages(["tar", "haproxy", "runc"], "the lab's nodes", {
                machine: machine(false, true, ["haproxy", "runc"]),
            }),
            {
                code: "TOOL_MISSING",
                message:
                    /the lab's nodes[\s\S]*missing: haproxy, runc[\s\S]*apt-get install haproxy runc\. Nothing has been changed/,
            },
        );
    });

    it("names what is needed on a system without apt", async () => {
        await assert.rejects(ensurePackages(["haproxy"], "the lab", { machine: machine(true, false, ["haproxy"]) }), {
            code: "TOOL_MISSING",
            message: /no apt[\s\S]*haproxy/,
        });
    });
});
