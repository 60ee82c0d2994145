import { engineAddress } from "./progress";

type Print = (...values: unknown[]) => void;

/** How the SDK's host prints an error of check, diff, read or delete: `${error}: ${error.stack}`. */
const ours = /^(NfvError|StepsFailed): [\s\S]*: \1: /;

/**
 * The SDK's host of dynamic resources returns an error to the engine, which shows it. The host also prints it with a
 * stack on stderr, which the engine shows again. For our errors we suppress the second one; other errors are bugs and
 * keep their stack.
 */
export function printErrorsOnce(to: { error: Print } = console, argv: readonly string[] = process.argv): void {
    if (engineAddress(argv) === undefined) return;
    const print = to.error.bind(to);
    to.error = (...values) => {
        if (!(values.length === 1 && typeof values[0] === "string" && ours.test(values[0]))) print(...values);
    };
}
