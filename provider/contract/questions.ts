import type { InSession } from "./types";

class Questions {
    readonly underWay = new Map<unknown, Promise<unknown>>();
    readonly last = new Map<unknown, Promise<unknown>>();
}

/** Whoever asks while the same question is under way in this run gets its answer. */
export function askTogether<T>({ session }: InSession, question: unknown, ask: () => Promise<T>): Promise<T> {
    const { underWay, last } = session.part(Questions);
    const known = underWay.get(question);
    if (known !== undefined) return known as Promise<T>;
    const asked = ask().finally(() => underWay.delete(question));
    underWay.set(question, asked);
    last.set(question, asked);
    return asked;
}

/** The last answer in this run, or the one that is under way. Undefined: nobody has asked. */
export function lastAnswer<T>({ session }: InSession, question: unknown): Promise<T> | undefined {
    return session.part(Questions).last.get(question) as Promise<T> | undefined;
}
