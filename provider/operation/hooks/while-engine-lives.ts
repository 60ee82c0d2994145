import { connect } from "node:net";

/** How often it is asked. Tests change it. */
export const asked = { everyMs: 1000 };

/** So often in a row nobody must answer: a port may refuse once when its queue is full. */
const enough = 2;

/**
 * Ends this process if Pulumi's engine is gone: one that was killed cannot stop its plugins, and a hook that runs on without it would run beside that
 * of the next run. `address`: of the engine; undefined: there is none, as in tests. `times`: so often in a row nobody must answer.
 */
export async function whileEngineLives<T>(
    address: string | undefined,
    work: () => Promise<T>,
    end: () => void = () => process.exit(1),
    times = enough,
): Promise<T> {
    if (address === undefined) return work();
    // It may have been killed before the hook's turn came.
    if (!(await answers(address)) && !(await answers(address))) end();
    let refused = 0;
    const timer = setInterval(async () => {
        refused = (await answers(address)) ? 0 : refused + 1;
        if (refused === times) end();
    }, asked.everyMs);
    try {
        return await work();
    } finally {
        clearInterval(timer);
    }
}

/** Only a refusal is a no: the engine's machine is this one. */
function answers(address: string): Promise<boolean> {
    const at = address.lastIndexOf(":");
    return new Promise(resolve => {
        const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) });
        socket.once("connect", () => {
            socket.destroy();
            resolve(true);
        });
        socket.once("error", error => resolve((error as NodeJS.ErrnoException).code !== "ECONNREFUSED"));
    });
}
