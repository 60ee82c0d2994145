import type { Report } from "./harness";

/** What every bench gets from the command line. */
export interface BenchContext {
    /** How often each pair runs. */
    rounds: number;
    /** The bench's own options, defaults filled in. */
    options: Record<string, string>;
    /** Progress, for a person. */
    say: (text: string) => void;
}

export interface Bench {
    /** One line for the help text. */
    about: string;
    /** Pairs by default. */
    rounds: number;
    /** Own options: name → meaning and default. */
    options: Record<string, { about: string; default: string }>;
    run(context: BenchContext): Promise<Report>;
}

/** A positive whole number from the command line. */
export function wholeNumber(options: Record<string, string>, name: string): number {
    const value = Number(options[name]);
    if (!Number.isInteger(value) || value < 1) {
        throw new Error(`--${name} takes a whole number above 0, not "${options[name]}"`);
    }
    return value;
}
