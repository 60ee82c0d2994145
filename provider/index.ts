import { listenForCancel } from "./adapters/cancellation";
import { PlannedRun } from "./adapters/planned-run";
import { printErrorsOnce } from "./adapters/print-once";
import { engineAddress, messagesTo } from "./adapters/progress";
import type { Properties } from "./adapters/properties";
import { serve } from "./adapters/serve";
import { RunSession } from "./common/run-session";
import { whileEngineLives } from "./operation/hooks/while-engine-lives";

/** The only entry point to the resources, for all hosts (pulumi.dynamic, an executable provider, tests). */

/**
 * The engine starts the process of the dynamic resources for one run of one stack, also if the program runs in the
 * process of the Automation API. So one session is enough here; a host of several runs calls `serve` for each.
 */
const engine = engineAddress(process.argv);
const session = new RunSession(engine);
const provider = serve(session, messagesTo(engine), () => PlannedRun.of(process.env));

listenForCancel(() => session.cancel());
// One that was killed stops none of its plugins. This one ends its work as at Ctrl-C, so that leases are free for the next run, and then itself.
whileEngineLives(
    engine,
    () => new Promise(() => {}),
    () => {
        session.cancel();
        setTimeout(() => process.exit(1), 5000);
    },
    // Later than a hook, which ends this process itself: told to end, it would count as failed, and not as interrupted.
    4,
);
printErrorsOnce();

export const { check, diff, create, read, update } = provider;
const remove = provider.delete;

export { remove as delete };

/** The provider texts in states call this: all methods, for one type. */
export function handler(type: string) {
    return {
        check: (olds: Properties, news: Properties) => check(type, olds, news),
        diff: (id: string, olds: Properties, news: Properties) => diff(type, id, olds, news),
        create: (inputs: Properties) => create(type, inputs),
        read: (id: string, state: Properties) => read(type, id, state),
        update: (id: string, olds: Properties, news: Properties) => update(type, id, olds, news),
        delete: (id: string, state: Properties) => remove(type, id, state),
    };
}
