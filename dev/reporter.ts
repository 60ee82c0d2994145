import * as fs from "node:fs";
import Mocha from "mocha";
import { countSkips, readNotes, type Skips } from "./skips";

/** Result of one mocha process, written for the process that adds the levels up. */
export interface Summary {
    passed: number;
    failed: number;
    skipped: number;
    /** Why tests were skipped. */
    skips: Skips;
    failures: string[];
}

/** Mocha's spec reporter. It also prints at once why a test failed, and writes a summary to the file that NFV_SUMMARY names. */
export default class SummaryReporter extends Mocha.reporters.Spec {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        const failures: string[] = [];
        const skipped: string[] = [];
        // Spec prints failures at the end only, so a run that is killed after an hour would show none.
        runner.on("fail", (test, error) => {
            const why = String(error?.message ?? error).replace(/\s+/g, " ");
            // The closing lines are all that is left of a long log, where a pipeline keeps its end.
            failures.push(`${test.fullTitle()}\n    ${why.slice(0, 400)}`);
            Mocha.reporters.Base.consoleLog(String(error?.stack ?? error).replace(/^/gm, "      "));
        });
        runner.on("pending", test => skipped.push(test.fullTitle()));
        runner.once("end", () => {
            const file = process.env["NFV_SUMMARY"];
            if (!file) return;
            const { passes = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
            const skips = countSkips(skipped, readNotes());
            const summary: Summary = { passed: passes, failed, skipped: pending, skips, failures };
            fs.writeFileSync(file, JSON.stringify(summary));
        });
    }
}
