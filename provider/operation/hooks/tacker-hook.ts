import { resolve } from "node:path";
import { NfvError } from "../../common/errors";
import type { HookFacts, HookResult } from "./contract";
import { etsiName, type HookEvent, hookEvents } from "./events";
import type { HookSpec } from "./hook-spec";
import { runTackerScript } from "./tacker/run-tacker-script";
import { readTackerPackage } from "./tacker/vnfd";
import type { HookTools } from "./tools";

/** The events for which the package's VNFD names a script; with a script of the hook, the events of the hook. @throws INVALID_INPUT */
export async function tackerEvents(
    { name, files: [folder], events, tacker = {} }: HookSpec,
    from: string,
): Promise<HookEvent[]> {
    const { scripts } = readTackerPackage(resolve(from, folder!), tacker.flavourId);
    const has = hookEvents.filter(event => scripts[etsiName(event)] !== undefined);
    if (events === undefined) {
        if (has.length > 0) return has;
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `hook ${name}: the VNFD of ${folder} names no management script`,
            hint: "Give tacker.script, the path of the script in the package, and events.",
        });
    }
    const missing = tacker.script === undefined ? events.find(event => !has.includes(event)) : undefined;
    if (missing === undefined) return events;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `hook ${name}: the VNFD of ${folder} names no script for ${etsiName(missing)}`,
        hint: `It has scripts for ${has.map(etsiName).join(", ") || "nothing"}. Take ${missing} out of events, or give tacker.script.`,
    });
}

/** Runs the script as Tacker does. */
export async function runTacker(
    { files: [folder], tacker = {}, timeoutSeconds }: HookSpec,
    facts: HookFacts,
    tools: HookTools,
): Promise<HookResult> {
    const { script, python, newPackage, ...settings } = tacker;
    const { errorHandlingData } = await runTackerScript({
        packageFolder: resolve(tools.folder, folder!),
        facts,
        settings: {
            ...settings,
            ...(newPackage !== undefined && { newPackageFolder: resolve(tools.folder, newPackage) }),
        },
        onLine: line => {
            tools.report(line);
            tools.printed(line);
        },
        signal: tools.signal,
        timeoutSeconds,
        ...(script !== undefined && { script }),
        ...(python !== undefined && { python }),
    });
    return errorHandlingData === undefined ? {} : { errorHandlingData };
}
