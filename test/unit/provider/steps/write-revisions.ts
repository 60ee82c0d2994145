import { writeFileSync } from "node:fs";
import { currentRevisions, revisionsFile } from "./revisions";

/** Writes revisions.json. Its test tells what to decide first. */
void currentRevisions().then(found => writeFileSync(revisionsFile, JSON.stringify(found, undefined, 4) + "\n"));
