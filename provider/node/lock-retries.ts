/** The option by which apt waits for locks does not hold for those of its lists and archives. */
export const lockRetries = { times: 8, delaySeconds: 15, onOutput: [/could not get lock/i] };
