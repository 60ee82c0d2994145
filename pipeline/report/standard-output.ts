/**
 * A reader that has gone (`nfv up | head`, a log that was closed) or a full disk must not end a run halfway: Node would end the process. What cannot be written is left out. Returns the first
 * failure of standard output that is worth an error; that the reader went is none.
 */
export function surviveClosedOutput(): () => Error | undefined {
    let failure: Error | undefined;
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "EPIPE") failure ??= error;
    });
    process.stderr.on("error", () => {});
    return () => failure;
}
