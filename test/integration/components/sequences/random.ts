/** Random choices that a seed decides. */
export class Random {
    constructor(private state: number) {}

    /** From 0 up to 1: the generator mulberry32. */
    next(): number {
        this.state = (this.state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    }

    /** A whole number below `end`. */
    below(end: number): number {
        return Math.floor(this.next() * end);
    }

    of<T>(list: readonly T[]): T {
        return list[this.below(list.length)]!;
    }

    isTrue(probability: number): boolean {
        return this.next() < probability;
    }
}
