import { NfvError } from "../../common/errors";
import type { HookFacts, HookResult } from "./contract";
import type { HookEvent } from "./events";
import type { HookKind, HookSpec } from "./hook-spec";
import { objectsOf, runManifests } from "./manifest-hook";
import { moduleEvents, runModule } from "./module-hook";
import { runScript, scriptProblem } from "./script-hook";
import { runTacker, tackerEvents } from "./tacker-hook";
import type { HookTools } from "./tools";

/** One way to give a hook. */
interface Kind {
    /** The events that the hook has a part for. Looks at its files. @throws INVALID_INPUT: they cannot be used */
    eventsOf(hook: HookSpec, folder: string): Promise<readonly HookEvent[]>;
    run(
        hook: HookSpec,
        facts: HookFacts,
        leave: (data: Record<string, unknown>) => void,
        tools: HookTools,
    ): Promise<HookResult>;
}

export const kinds: Record<HookKind, Kind> = {
    module: {
        eventsOf: async (hook, folder) => {
            const has = await moduleEvents(hook, folder);
            const missing = hook.events?.find(event => !has.includes(event));
            if (missing === undefined) return hook.events ?? has;
            throw new NfvError({
                code: "INVALID_INPUT",
                cause: `hook ${hook.name}: ${hook.files[0]} has no method ${missing}`,
                hint: `Its methods are: ${has.join(", ")}. Write the method, or take ${missing} out of events.`,
            });
        },
        run: runModule,
    },
    script: {
        eventsOf: async (hook, folder) => {
            const problem = scriptProblem(hook, folder);
            if (problem === undefined) return hook.events ?? [];
            throw new NfvError({ code: "INVALID_INPUT", cause: `hook ${hook.name}: ${problem}` });
        },
        run: (hook, facts, _leave, tools) => runScript(hook, facts, tools),
    },
    manifests: {
        eventsOf: async (hook, folder) => {
            objectsOf(hook, folder);
            return hook.events ?? [];
        },
        run: (hook, _facts, _leave, tools) => runManifests(hook, tools),
    },
    tacker: { eventsOf: tackerEvents, run: (hook, facts, _leave, tools) => runTacker(hook, facts, tools) },
};
