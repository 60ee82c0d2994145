import type { Context } from "mocha";

/** Root hooks of mocha for files that run side by side: mocha reports such a file only when all of its tests have ended. */
export const mochaHooks = {
    afterEach(this: Context) {
        const { state, title, duration = 0 } = this.currentTest!;
        if (duration > 5000) console.log(`      … ${state} after ${Math.round(duration / 1000)} s: ${title}`);
    },
};
