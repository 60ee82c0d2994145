/** Skips the test, or in a hook all tests after it, and prints the reason; does nothing without a reason. */
export function skipIf(test: Mocha.Context, reason: string | false | undefined): void {
    if (reason === undefined || reason === false || reason === "") return;
    console.log(`      skipped: ${reason}`);
    test.skip();
}
