import { strict as assert } from "node:assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBundle } from "../../../tools/bundle";
import type { FoundTool } from "../../../tools/found";
import { restamped, withVersion } from "../../../tools/restamp";
import { tool } from "../../../tools/versions";
import { scratch } from "./scratch";

describe("Kubernetes under another number", () => {
    const { folder } = scratch();

    it("is what the program reports; where its sources and modules are from stays", () => {
        const before = "@v1.34.4\0 k8s.io/kubernetes@v1.34.4/cmd \tv1.34.4\th1:Yy6R v1.34.4";
        const after = "@v1.34.3\0 k8s.io/kubernetes@v1.34.4/cmd \tv1.34.4\th1:Yy6R v1.34.3";
        assert.equal(withVersion(Buffer.from(before), "1.34.4", "1.34.3").toString(), after);
    });

    it("leaves the length of a program as it is, and the minor version", () => {
        for (const other of ["1.34.10", "1.33.4"]) {
            assert.throws(
                () => withVersion(Buffer.from("v1.34.4"), "1.34.4", other),
                /no patch release beside 1\.34\.4/,
            );
        }
    });

    const found = (script: (name: string) => string): FoundTool => {
        const row = tool("kubernetes", "1.34.4");
        mkdirSync(join(folder(), "bin"));
        const programs = Object.fromEntries(row.programs.map(name => [name, join(folder(), "bin", name)]));
        for (const [name, path] of Object.entries(programs)) writeFileSync(path, script(name), { mode: 0o755 });
        return { tool: row, programs, files: {}, source: "modules", detail: "" };
    };

    it("is kept in the cache for all programs, beside the genuine ones", async () => {
        const genuine = found(name => `#!/bin/sh\necho ${name} v1.34.4\n`);
        const other = await restamped(genuine, "1.34.3");
        assert.equal(other.tool.version, "1.34.3");
        assert.deepEqual(Object.keys(other.programs), genuine.tool.programs);
        for (const [name, path] of Object.entries(other.programs)) {
            assert.ok(path.startsWith(join(folder(), "cache")));
            assert.match(readFileSync(path, "utf8"), /v1\.34\.3/, name);
            assert.match(readFileSync(genuine.programs[name]!, "utf8"), /v1\.34\.4/, name);
        }
        assert.deepEqual((await restamped(genuine, "1.34.3")).programs, other.programs);
    });

    it("is refused when a program still reports its own", async () => {
        const stubborn = found(name => `#!/bin/sh\necho ${name} v1.34.$((2 + 2))\n`);
        await assert.rejects(restamped(stubborn, "1.34.3"), /does not report v1\.34\.3/);
    });

    it("is never part of a bundle that was asked for by its number alone", async () => {
        await assert.rejects(ensureBundle({ kubernetes: "1.34.3", sources: [] }), {
            code: "TOOL_MISSING",
            message: /Kubernetes 1\.34\.3 cannot be had/,
        });
    });
});
