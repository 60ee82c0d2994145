/**
 * Within the enclosing `describe`, a second of the program's waiting passes in a tenth of one: for tests of what it does when its
 * patience ends. Sockets keep their own time, but SSH connections do not: not for tests that log in.
 */
export function runClockFast(factor = 10): void {
    const { setTimeout: wait } = globalThis;
    const { now } = Date;
    before(() => {
        const start = now();
        Date.now = () => start + (now() - start) * factor;
        globalThis.setTimeout = Object.assign(
            (work: () => void, milliseconds = 0, ...rest: []) => wait(work, milliseconds / factor, ...rest),
            wait,
        ) as typeof setTimeout;
    });
    after(() => {
        Date.now = now;
        globalThis.setTimeout = wait;
    });
}
