import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../levels";
import { apiReports } from "./api-report";

// npm run build && npx tsx dev/release/write-api.ts: notes the public surface of today.
mkdirSync(join(projectRoot, "dev/release/api"), { recursive: true });
for (const [name, text] of Object.entries(apiReports(projectRoot)))
    writeFileSync(join(projectRoot, "dev/release/api", `${name}.txt`), text);
