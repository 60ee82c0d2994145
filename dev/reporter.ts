import * as fs from "node:fs";
import Mocha from "mocha";
import { countSkips, readNotes } from "./skips";
import type { Summary } from "./summary";

/** Mocha's spec reporter. It also prints at once why a test failed, and writes a summary to the file that NFV_SUMMARY names. */
export default class SummaryReporter extends Mocha.reporters.Spec {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        const failures: string[] = [];
        const skipped: string[] = [];
        const passedIn = new Set<string>();
        /** Files of which a test failed or did not run. */
        const notPassedIn = new Set<string | undefined>();
        const seconds = new Map<string, number>();
        const spend = ({ file, duration = 0 }: { file?: string; duration?: number }) =>
            file && seconds.set(file, (seconds.get(file) ?? 0) + duration / 1000);
        runner.on("test end", spend);
        runner.on("hook end", spend);
        runner.on("pending", test => {
            skipped.push(test.fullTitle());
            notPassedIn.add(test.file);
        });
        runner.on("pass", test => {
            if (test.file) passedIn.add(test.file);
        });
        // Spec prints failures at the end only, so a run that is killed after an hour would show none.
        runner.on("fail", (test, error) => {
            const why = String(error?.message ?? error).replace(/\s+/g, " ");
            // The closing lines are all that is left of a long log, where a pipeline keeps its end.
            notPassedIn.add(test.file);
            failures.push(`${test.fullTitle()}\n    ${why.slice(0, 400)}`);
            Mocha.reporters.Base.consoleLog(String(error?.stack ?? error).replace(/^/gm, "      "));
        });
        runner.once("end", () => {
            const file = process.env["NFV_SUMMARY"];
            if (!file) return;
            const { passes = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
            // What failed outside of any suite may belong to any file.
            const passedFiles = notPassedIn.has(undefined) ? [] : [...passedIn].filter(path => !notPassedIn.has(path));
            const skips = countSkips(skipped, readNotes());
            const summary: Summary = {
                passed: passes,
                failed,
                skipped: pending,
                skips,
                failures,
                passedFiles,
                notPassedFiles: [...notPassedIn].filter(path => path !== undefined),
                fileSeconds: [...seconds],
            };
            fs.writeFileSync(file, JSON.stringify(summary));
        });
    }
}
