/** How often it is looked at. */
const everyMilliseconds = 1000;

/**
 * Ends this process if the one that started it is gone: an engine that was killed cannot stop its plugins, and a hook that runs on without it would
 * run beside the one of the next run.
 */
export async function whileParentLives<T>(work: () => Promise<T>, end = () => process.exit(1)): Promise<T> {
    const parent = process.ppid;
    const timer = setInterval(() => {
        if (process.ppid !== parent) end();
    }, everyMilliseconds);
    timer.unref();
    try {
        return await work();
    } finally {
        clearInterval(timer);
    }
}
