import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { generateSchema } from "./generate";
import { inputsTable } from "./inputs-table";

/** Writes schema.json and docs/inputs.md. */
const root = path.resolve(__dirname, "../..");
const schema = generateSchema();
writeFileSync(path.join(root, "schema.json"), JSON.stringify(schema, undefined, 2) + "\n");
writeFileSync(path.join(root, "docs/inputs.md"), inputsTable(schema as never));
