import { NfvError } from "../../common/errors";
import type { NodeAtWork } from "../node-by-node/procedure";
import { rebootMachine } from "./acts";
import { bootOf, type OsState, type StoredOsUpgrade } from "./os-state";

/** Reboots the machine whose boot is `before`, and waits for another one. @throws REBOOT_FAILED where it does not come back in time */
export async function reboot(at: NodeAtWork<StoredOsUpgrade, OsState>, before: string): Promise<void> {
    const { target, context } = at;
    const { name, link } = target;
    const seconds = at.stored.rebootTimeoutSeconds;
    let last = "it answers, and has not rebooted";
    const isAnother = async () => {
        try {
            return (await bootOf(link, name)) !== before;
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            last = `it does not answer: ${error.reason}`;
            await link.close();
            return undefined;
        }
    };
    try {
        await at.here(rebootMachine);
    } catch (error) {
        // The connection may break before the end of the act is heard.
        if (context.signal?.aborted || (await isAnother()) === false) throw error;
    }
    for (const until = performance.now() + seconds * 1000; !(await isAnother()); ) {
        if (performance.now() > until) {
            const cause = `not back ${seconds} s after its reboot: ${last}`;
            throw new NfvError({ code: "REBOOT_FAILED", node: name, step: "reboot", cause });
        }
        await at.pause(`wait until ${name} has rebooted`);
    }
}
