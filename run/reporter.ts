import * as fs from "node:fs";
import Mocha from "mocha";

/** What one mocha process found; written for the process that adds the levels up. */
export interface Summary {
    passed: number;
    failed: number;
    skipped: number;
    failures: string[];
}

/** Mocha's spec reporter, which also writes a summary where NFV_SUMMARY says. */
export default class SummaryReporter extends Mocha.reporters.Spec {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        const failures: string[] = [];
        runner.on("fail", test => failures.push(test.fullTitle()));
        runner.once("end", () => {
            const file = process.env["NFV_SUMMARY"];
            if (!file) return;
            const { passes = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
            const summary: Summary = { passed: passes, failed, skipped: pending, failures };
            fs.writeFileSync(file, JSON.stringify(summary));
        });
    }
}
