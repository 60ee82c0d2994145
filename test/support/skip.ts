import { noteSkip } from "../../dev/skips";

/** Skips the test, or in a hook all tests after it, and prints the reason in one line; does nothing without a reason. */
export function skipIf(context: Mocha.Context, reason: string | false | undefined): void {
    if (reason === undefined || reason === false || reason === "") return;
    const [line] = reason.split("\n") as [string];
    console.log(`      skipped: ${line}`);
    const { test, currentTest } = context;
    const isSuite = test?.type === "hook" && test.title.startsWith('"before all"');
    const skipped = isSuite ? test.parent : test?.type === "hook" ? currentTest : test;
    noteSkip({ title: skipped?.fullTitle() ?? "", isSuite, reason: line });
    context.skip();
}
