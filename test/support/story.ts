import type { Context, Suite } from "mocha";
import { skipIf } from "./skip";

/**
 * For a suite whose tests build on one another: after a failed test the others are skipped with a message. Mocha's own `bail` does not
 * fit: it silently leaves a suite out when any suite before it has failed.
 */
export function asStory(suite: Suite): void {
    suite.beforeEach(function (this: Context) {
        const failed = this.currentTest!.parent!.tests.find(test => test.state === "failed");
        skipIf(this, failed && `an earlier part of its story failed: ${failed.title}`);
    });
}
