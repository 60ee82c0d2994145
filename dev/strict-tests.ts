/**
 * Root hooks of mocha: an assertion that fails in a promise which nobody awaits fails the test that runs then. Mocha alone only tells other listeners of it, and
 * takes them away after each file that runs beside others. Other rejections are left to it: outputs of Pulumi's mocks reject where a test wants that.
 */
export const mochaHooks = {
    beforeAll() {
        process.on("unhandledRejection", error => {
            if ((error as { code?: unknown } | undefined)?.code === "ERR_ASSERTION") throw error;
        });
    },
};
