// The ratchet of `npm run lint`: fails where something is counted more often than allowed.json allows, or less often and not written down.
import { statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../levels";
import { readAllowed } from "./allowed";
import { countsOf, problemsOf } from "./ratchet";
import { readFiles } from "./read-files";

const changedAt = (place: string) => statSync(join(projectRoot, place.replace(/:\d+$/, ""))).mtimeMs;
const newestFirst = (places: readonly string[]) => {
    const files = new Map(places.map(place => [place, changedAt(place)]));
    return [...places].sort((a, b) => files.get(b)! - files.get(a)!);
};

const problems = problemsOf(countsOf(readFiles()), readAllowed(), newestFirst);
for (const problem of problems) console.error(`error: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);
