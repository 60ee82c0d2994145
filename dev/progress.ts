/** Prints what is done at the moment, then the seconds it took. */
export async function phase<T>(title: string, work: (say: (text: string) => void) => Promise<T>): Promise<T> {
    const began = Date.now();
    console.log(`» ${title}`);
    const result = await work(text => console.log(`  ${text}`));
    const seconds = (Date.now() - began) / 1000;
    if (seconds >= 1) console.log(`  ${seconds.toFixed(1)} s`);
    return result;
}
