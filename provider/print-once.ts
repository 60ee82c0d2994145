import { engineAddress } from "./progress";

type Print = (...values: unknown[]) => void;

/** As the SDK's host writes an error of check, diff, read or delete: `${error}: ${error.stack}`. */
const ours = /^(NfvError|StepsFailed): [\s\S]*: \1: /;

/**
 * The SDK's host of dynamic resources answers the engine with an error, which shows it, and writes it to its error output with a stack,
 * which the engine shows again. Of an error of ours the answer is enough; any other keeps its stack, as it is a bug.
 */
export function printErrorsOnce(to: { error: Print } = console, argv: readonly string[] = process.argv): void {
    if (engineAddress(argv) === undefined) return;
    const print = to.error.bind(to);
    to.error = (...values) => {
        if (!(values.length === 1 && typeof values[0] === "string" && ours.test(values[0]))) print(...values);
    };
}
