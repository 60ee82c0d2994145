import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../levels";
import type { Allowed } from "./ratchet";

const file = join(projectRoot, "dev/house/allowed.json");

export function readAllowed(): Allowed {
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** A line for each row, so that a merge shows which. */
export function writeAllowed(allowed: Allowed): void {
    const rows = Object.entries(allowed).map(([name, counts]) => `    ${JSON.stringify(name)}: [${counts.join(", ")}]`);
    writeFileSync(file, `{\n${rows.join(",\n")}\n}\n`);
}
