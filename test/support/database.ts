import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { unpackedPackages } from "../../tools/debian-packages";
import { dynamicContent } from "../../tools/oci/debian-files";
import { eventually } from "../e2e/cluster-fixture";
import { podOn } from "./pod-on";

/** Where the pod has the programs. */
const inside = "/programs";
const libraries = `${inside}/usr/lib/x86_64-linux-gnu`;
const sqlite = `${libraries}/ld-linux-x86-64.so.2 --library-path ${libraries} ${inside}/usr/bin/sqlite3 -batch -bail -cmd '.timeout 20000' /data/database`;
/** Each INSERT is on the disk when it returns. The header of the journal ends it, not its deletion, which no fsync of SQLite's covers at this level. */
const durable = "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL;";

/** Begins when the programs are there; prints each number that the database has acknowledged, and ends when a transaction fails. */
const program = `set -e
until test -e ${inside}/ready; do sleep 0.2; done
${sqlite} "${durable} CREATE TABLE entry (number INTEGER PRIMARY KEY);" >/dev/null
i=0
while :; do i=$((i+1)); ${sqlite} "${durable} INSERT INTO entry VALUES ($i);" >/dev/null; echo $i; done`;

type Kubectl = (...args: string[]) => Promise<string>;

/** A database whose file is on the claim `shared`. */
export interface Database {
    /** Waits until it acknowledges transactions after those that it has acknowledged by now, and returns the number of its last one. */
    goesOn(): Promise<number>;
    /** Nothing that it acknowledged is missing, and its file is whole. Returns how many that were. */
    lostNothing(): Promise<number>;
}

/** Starts SQLite in a pod on `node`, with the program of Debian's package. */
export async function startDatabase(
    { kubectl, apply }: { kubectl: Kubectl; apply: (object: object) => Promise<unknown> },
    { node, folder }: { node: string; folder: string },
): Promise<Database> {
    const pod = "database";
    await apply(podOn(pod, node, program));
    await eventually(120, async () =>
        assert.equal(await kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}"), "Running"),
    );
    await kubectl("cp", await programs(folder), `${pod}:${inside}`);
    await kubectl("exec", pod, "--", "touch", `${inside}/ready`);
    const acknowledged = async () => (await kubectl("logs", pod)).split("\n").filter(line => line !== "");
    const goesOn = async () => {
        const before = (await acknowledged()).length;
        return eventually(180, async () => {
            const said = await acknowledged();
            if (said.length <= before + 10) {
                const described = await kubectl("describe", "pod", pod);
                assert.fail(`${said.length} transactions, ${before} before; ${said.at(-1)}\n${described}`);
            }
            return said.length;
        });
    };
    await goesOn();
    return {
        goesOn,
        lostNothing: async () => {
            // What it says before it is asked: it goes on meanwhile.
            const said = await acknowledged();
            assert.deepEqual(
                said.filter((line, i) => line !== String(i + 1)),
                [],
                "no transaction failed",
            );
            const ask = `${sqlite} "PRAGMA integrity_check; SELECT number FROM entry;"`;
            const [whole, ...numbers] = (await kubectl("exec", pod, "--", "sh", "-c", ask)).trim().split("\n");
            assert.equal(whole, "ok");
            const written = new Set(numbers);
            assert.deepEqual(
                said.filter(number => !written.has(number)),
                [],
                "every acknowledged transaction is there",
            );
            return said.length;
        },
    };
}

/** A folder with SQLite's program and all libraries that it needs. */
async function programs(folder: string): Promise<string> {
    const root = await unpackedPackages(
        { group: "test", name: "sqlite", packages: ["sqlite3", "netbase"], why: "a database" },
        () => {},
    );
    const made = path.join(folder, "programs");
    const content = await dynamicContent(root, ["bin/sqlite3"], [], {});
    for (const [target, source] of Object.entries({ ...content.programs, ...content.files })) {
        const file = path.join(made, target);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.copyFileSync(source, file);
        fs.chmodSync(file, 0o755);
    }
    return made;
}
