import type { Context, Suite } from "mocha";

/**
 * For a suite whose tests build on one another: behind one that failed, the others are skipped and say so. Mocha's own `bail` is of no
 * use here: it leaves a suite out without a word when any suite before it has failed.
 */
export function asStory(suite: Suite): void {
    suite.beforeEach(function (this: Context) {
        const failed = this.currentTest!.parent!.tests.find(test => test.state === "failed");
        if (failed === undefined) return;
        console.log(`      skipped, as "${failed.title}" failed: ${this.currentTest!.title}`);
        this.skip();
    });
}
