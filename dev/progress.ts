import { AsyncLocalStorage } from "node:async_hooks";

const column = new AsyncLocalStorage<string>();

/** Each line that `work` says begins with `name`: for work that goes on side by side. */
export const inColumn = <T>(name: string, work: () => Promise<T>): Promise<T> => column.run(name, work);

/** Whether lines need a name. */
export const isInColumn = () => column.getStore() !== undefined;

export function say(text: string): void {
    const name = column.getStore();
    console.log(name === undefined ? text : text.replace(/^/gm, `${name} │ `));
}

/** Prints what is done at the moment, then the seconds it took. */
export async function phase<T>(title: string, work: (say: (text: string) => void) => Promise<T>): Promise<T> {
    const began = Date.now();
    say(`» ${title}`);
    const result = await work(text => say(`  ${text}`));
    const seconds = (Date.now() - began) / 1000;
    if (seconds >= 1) say(`  ${seconds.toFixed(1)} s`);
    return result;
}
