import { strict as assert } from "node:assert";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installed } from "../../../../tools/sources/installed";
import { type Tool, tool } from "../../../../tools/versions";
import { scratch } from "../scratch";

describe("a tool in PATH", () => {
    const { folder, set } = scratch();
    const etcd = tool("etcd", "3.6.16");

    /** Programs that print `words`, and end with `code`. */
    function put(place: string, names: readonly string[], words: string, code = 0): string {
        const bin = join(folder(), place);
        mkdirSync(bin, { recursive: true });
        const script = `#!/bin/sh\nprintf '${words}\\n'\nexit ${code}\n`;
        for (const name of names) writeFileSync(join(bin, name), script, { mode: 0o755 });
        return bin;
    }

    const ready = (path: string, wanted: Tool = etcd) => {
        set("PATH", `${path}:/usr/bin:/bin`);
        return installed.ready(wanted);
    };

    for (const [name, version, words] of [
        ["etcd", "3.6.16", "etcd Version: 3.6.16\\nGit SHA: none"],
        ["coredns", "1.14.7", "CoreDNS-1.14.7\\nlinux/amd64, go1.26"],
        ["kubernetes", "1.36.3", "Kubernetes v1.36.3"],
        ["pulumi", "3.259.0", "v3.259.0"],
    ] as const) {
        it(`is used where it says the wanted version: ${name}`, async () => {
            const wanted = tool(name, version);
            const bin = put("bin", wanted.programs, words);
            const found = await ready(bin, wanted);
            assert.equal(found?.source, "installed");
            assert.equal(found?.programs[wanted.programs[0]!], join(bin, wanted.programs[0]!));
        });

        for (const suffix of ["-rc.0", "+k3s1", "0", ".1"])
            it(`is not used where that goes on with ${suffix}: ${name}`, async () => {
                const wanted = tool(name, version);
                assert.equal(
                    await ready(put("bin", wanted.programs, words.replace(version, version + suffix)), wanted),
                    undefined,
                );
            });
    }

    it("is not used where it fails after its version", async () => {
        assert.equal(await ready(put("bin", etcd.programs, "etcd Version: 3.6.16", 1)), undefined);
    });

    it("is not used where its other programs come from another folder, whose version nobody asked", async () => {
        const first = put("first", ["etcd"], "etcd Version: 3.6.16");
        const second = put("second", ["etcdctl", "etcdutl"], "etcdctl version: 3.4.0");
        assert.equal(await ready(`${first}:${second}`), undefined);
    });

    it("is found through a link, with the programs beside the real file", async () => {
        const real = put("opt", etcd.programs, "etcd Version: 3.6.16");
        const bin = put("bin", [], "");
        symlinkSync(join(real, "etcd"), join(bin, "etcd"));
        assert.equal((await ready(bin))?.programs["etcdctl"], join(real, "etcdctl"));
    });
});
