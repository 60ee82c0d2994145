import { noteSkip } from "../../dev/skips";

/** Skips the test, or in a hook all tests after it, and prints the reason in one line; does nothing without a reason. */
export function skipIf(context: Mocha.Context, reason: string | false | undefined): void {
    if (reason === undefined || reason === false || reason === "") return;
    const [line] = reason.split("\n") as [string];
    console.log(`      skipped: ${line}`);
    const { test, currentTest } = context;
    // Mocha's types do not tell hooks from tests, but the titles of hooks do.
    const [, each] = /^"before (all|each)" hook/.exec(test?.title ?? "") ?? [];
    const isSuite = each === "all";
    const skipped = isSuite ? test?.parent : each ? currentTest : test;
    noteSkip({ title: skipped?.fullTitle() ?? "", isSuite, reason: line });
    context.skip();
}
