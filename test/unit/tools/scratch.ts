import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate folder for each test, and settings that are restored. */
export function scratch(): { folder: () => string; set: (name: string, value: string | undefined) => void } {
    let folder = "";
    const before = new Map<string, string | undefined>();
    const assign = (name: string, value: string | undefined) => {
        if (value === undefined) {
            delete process.env[name];
        } else {
            process.env[name] = value;
        }
    };
    const set = (name: string, value: string | undefined) => {
        if (!before.has(name)) {
            before.set(name, process.env[name]);
        }
        assign(name, value);
    };
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-tools-"));
        set("PULUMI_NFV_CACHE", join(folder, "cache"));
    });
    afterEach(() => {
        for (const [name, value] of before) {
            assign(name, value);
        }
        before.clear();
        rmSync(folder, { recursive: true, force: true });
    });
    return { folder: () => folder, set };
}
