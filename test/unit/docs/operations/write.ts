import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../support/user-project";
import { filesOf, recordAll } from "./recorded";

/** npx tsx test/unit/docs/operations/write.ts: renews docs/operations.md, and the table of edges for reports. */
recordAll().then(recordings => {
    for (const [file, text] of Object.entries(filesOf(recordings))) writeFileSync(join(projectRoot, file), text);
});
