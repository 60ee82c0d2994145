import * as fs from "node:fs";
import Mocha from "mocha";

/** What one mocha process found; written for the process that adds the levels up. */
export interface Summary {
    passed: number;
    failed: number;
    skipped: number;
    failures: string[];
}

/** Mocha's spec reporter, which also says at once why a test failed, and writes a summary where NFV_SUMMARY says. */
export default class SummaryReporter extends Mocha.reporters.Spec {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        const failures: string[] = [];
        // Spec says it at the end only: a run of an hour that is killed before would have said nothing.
        runner.on("fail", (test, error) => {
            failures.push(test.fullTitle());
            Mocha.reporters.Base.consoleLog(String(error?.stack ?? error).replace(/^/gm, "      "));
        });
        runner.once("end", () => {
            const file = process.env["NFV_SUMMARY"];
            if (!file) return;
            const { passes = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
            const summary: Summary = { passed: passes, failed, skipped: pending, failures };
            fs.writeFileSync(file, JSON.stringify(summary));
        });
    }
}
