import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versionsMarkdown, versionsPage } from "../tools/versions-table";
import { projectRoot } from "./levels";

/** Renews the tables of docs/versions.md. */
const file = join(projectRoot, versionsPage.file);
const [prose = ""] = readFileSync(file, "utf8").split(versionsPage.heading);
writeFileSync(file, `${prose}${versionsPage.heading}${versionsMarkdown()}`);
