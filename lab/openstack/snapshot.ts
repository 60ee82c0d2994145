import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, labFolder } from "../paths";
import { run } from "../process";

/** Parts of a fresh cloud's state folder after the bootstrap. */
const parts = ["mysql", "keystone", "glance"];
const prefix = "cloud-state-";
const kept = 2;

/** Different inputs lead to a different first state. */
export const snapshotKey = (inputs: unknown) =>
    createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16);

const folderOf = (key: string) => join(cacheFolder(), `${prefix}${key}`);

/** Copies the first state from the cache into the empty state folder; false if the cache has none for this key. */
export async function restoreSnapshot(cloud: string, key: string): Promise<boolean> {
    if (!existsSync(folderOf(key))) {
        return false;
    }
    await copyParts(folderOf(key), join(labFolder(cloud), "state"));
    return true;
}

/** Call it while the database is stopped. */
export async function saveSnapshot(cloud: string, key: string): Promise<void> {
    const draft = `${folderOf(key)}.${process.pid}.draft`;
    await copyParts(join(labFolder(cloud), "state"), draft);
    await rm(folderOf(key), { recursive: true, force: true });
    await rename(draft, folderOf(key));
    await removeOld();
}

async function copyParts(from: string, to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    await run(["cp", "-a", "--sparse=always", ...parts.map(part => join(from, part)), to]);
}

async function removeOld(): Promise<void> {
    const folders = readdirSync(cacheFolder())
        .filter(name => name.startsWith(prefix))
        .map(name => join(cacheFolder(), name))
        .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
    for (const folder of folders.slice(kept)) {
        await rm(folder, { recursive: true, force: true });
    }
}
