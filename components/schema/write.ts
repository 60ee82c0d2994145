import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { generateSchema } from "./generate";
import { inputsTable } from "./inputs-table";
import { outputsTable } from "./outputs-table";

/** Writes schema.json, docs/inputs.md and docs/outputs.md. */
const root = path.resolve(__dirname, "../..");
const schema = generateSchema();
writeFileSync(path.join(root, "schema.json"), JSON.stringify(schema, undefined, 2) + "\n");
writeFileSync(path.join(root, "docs/inputs.md"), inputsTable(schema as never));
writeFileSync(path.join(root, "docs/outputs.md"), outputsTable(schema as never));
