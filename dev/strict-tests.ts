/**
 * Root hooks of mocha: a rejection that nobody awaits fails the test that runs then. Mocha alone only tells other listeners of it, and takes them away after
 * each file that runs beside others.
 */
export const mochaHooks = {
    beforeAll() {
        process.on("unhandledRejection", error => {
            throw error;
        });
    },
};
