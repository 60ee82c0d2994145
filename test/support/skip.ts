/** Skips the test, or with a hook all behind it, and says why; goes on where there is no reason to. */
export function skipIf(test: Mocha.Context, reason: string | false | undefined): void {
    if (reason === undefined || reason === false || reason === "") return;
    console.log(`      skipped: ${reason}`);
    test.skip();
}
