import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Length, Told } from "./sequence";

/** With this variable a test plays this sequence only, as after one that failed. */
const seedVariable = "NFV_SEED";

/**
 * Plays sequences and fails with the stories of those that broke a rule. In two processes, because the SDK runs one program at a time
 * in a process.
 */
export async function playAll(seeds: readonly number[], length: Length): Promise<void> {
    const only = process.env[seedVariable];
    const wanted = only === undefined ? seeds : [Number(only)];
    const processes = Math.min(2, cpus().length, wanted.length);
    const parts = Array.from({ length: processes }, (_, i) => wanted.filter((__, n) => n % processes === i));
    const told = (await Promise.all(parts.map(part => playSome(part, length)))).flat();
    const stories = told
        .filter(({ broken }) => broken !== undefined)
        .map(({ seed, broken, story }) => [`${seedVariable}=${seed}: ${broken!.join("; ")}`, ...story].join("\n    "));
    assert.equal(stories.length, 0, `\n${stories.join("\n\n")}`);
    assert.equal(told.length, wanted.length, "each sequence ended");
}

async function playSome(seeds: readonly number[], { operations, ends }: Length): Promise<Told[]> {
    const player = join(__dirname, `player${extname(__filename)}`);
    const words = [`${operations}`, ends ? "ends" : "stays", ...seeds.map(String)];
    const child = spawn(process.execPath, ["--require", "tsx/cjs", player, ...words], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const stop = () => void child.kill();
    process.once("exit", stop);
    const told: Told[] = [];
    for await (const line of createInterface({ input: child.stdout })) told.push(JSON.parse(line) as Told);
    process.off("exit", stop);
    const missing = seeds[told.length];
    if (missing !== undefined) throw new Error(`${seedVariable}=${missing}: the sequence did not end`);
    return told;
}
