import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedOperation } from "../../../../../provider/operation/hooks/facts";
import { hashOfHook } from "../../../../../provider/operation/hooks/hash";
import type { ClusterHooks } from "../../../../../provider/operation/hooks/hook-inputs";
import type { HookSpec } from "../../../../../provider/operation/hooks/hook-spec";
import { ownFolder, specOf } from "../../operation/hooks/fixtures";

export const operationOf = (id: string, kind: RecordedOperation["kind"] = "scale"): RecordedOperation => ({
    ...{ id, kind, added: ["w2"], removed: [], replaced: [], changed: [], reasons: [] },
    before: { m1: { role: "controlPlane" } },
    after: { m1: { role: "controlPlane" }, w2: { role: "worker", pool: "workers" } },
});

/** Notes each call and what it is told; fails if there is a file "fail-HOOK-EVENT". */
const driver = `const { appendFileSync, existsSync } = require("node:fs");
module.exports = new Proxy({}, {
    get: (_, event) => !/(Start|End)$/.test(String(event)) ? undefined : context => {
        const { run, leave, log, progress, signal, kubernetes, ...facts } = context;
        appendFileSync(__dirname + "/told", JSON.stringify(facts) + "\\n");
        appendFileSync(__dirname + "/order", context.operation.id + " " + context.etsiEvent + " " + context.hook + "\\n");
        log("says " + JSON.stringify(facts));
        if (existsSync(__dirname + "/fail-" + context.hook + "-" + event)) throw new Error("no licence");
    },
});
`;

/** Hooks of a cluster that are modules in a folder of each test. */
export function hooksThatNote() {
    const folder = ownFolder();
    beforeEach(() => folder.put({ "driver.js": driver }));
    const lines = (file: string) => {
        const path = join(folder.path, file);
        return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
    };
    const one = (name: string, change: Partial<HookSpec> = {}) => {
        const files = change.files ?? [join(folder.path, "driver.js")];
        const hash = files.every(file => existsSync(file)) ? hashOfHook({ files }, folder.path) : "none";
        return specOf({ name, kind: "module", files, hash, ...change });
    };
    return {
        folder,
        /** "7 scale_end a" of each call so far. */
        order: () => lines("order"),
        told: () => lines("told").map(line => JSON.parse(line)),
        one,
        of: (...names: string[]): ClusterHooks => ({ clusterName: "core", list: names.map(name => one(name)) }),
    };
}
