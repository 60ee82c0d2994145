import type { PipelineEvent } from "../events/events";

/**
 * A run that goes on: `await run` waits for its end, `for await (const event of run)` shows what happens. Both throw the run's error. Events
 * that came before the loop began are in it, too. The run goes on where the loop is left early, by `break` or an error: only `signal` stops it, and `await run` still has its error.
 */
export class Run<Result> implements PromiseLike<Result>, AsyncIterable<PipelineEvent> {
    /** All so far; reports are made of them, also of a run that failed. */
    readonly events: PipelineEvent[] = [];
    private readonly result: Promise<Result>;
    private isOver = false;
    private wake: () => void = () => {};
    private moved = this.nextMove();

    constructor(
        work: (tell: (event: PipelineEvent) => void) => Promise<Result>,
        onEvent?: (event: PipelineEvent) => void,
    ) {
        this.result = Promise.resolve()
            .then(() =>
                work(event => {
                    this.events.push(event);
                    this.move();
                    onEvent?.(event);
                }),
            )
            .finally(() => {
                this.isOver = true;
                this.move();
            });
    }

    // biome-ignore lint/suspicious/noThenProperty: `await run` is what it is for
    then<A = Result, B = never>(
        whenDone?: ((result: Result) => A | PromiseLike<A>) | null,
        whenFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
    ): Promise<A | B> {
        return this.result.then(whenDone, whenFailed);
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<PipelineEvent> {
        // The loop throws the error at its end; until then it is no unhandled one.
        this.result.catch(() => {});
        for (let at = 0; ; ) {
            const { moved, isOver } = this;
            while (at < this.events.length) yield this.events[at++]!;
            if (isOver) break;
            await moved;
        }
        await this.result;
    }

    private move(): void {
        const wake = this.wake;
        this.moved = this.nextMove();
        wake();
    }

    private nextMove(): Promise<void> {
        return new Promise(resolve => {
            this.wake = resolve;
        });
    }
}
