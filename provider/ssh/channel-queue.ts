/** sshd allows ten sessions per connection (MaxSessions); two are left for other uses. */
const sessions = 8;

/** Limits how many commands run at once on one connection; the others queue. */
export class ChannelQueue {
    private active = 0;
    private readonly waiting: (() => void)[] = [];

    constructor(private limit = sessions) {}

    get idle(): boolean {
        return this.active === 0 && this.waiting.length === 0;
    }

    /** The server allows one session at a time. */
    get single(): boolean {
        return this.limit === 1;
    }

    async acquire(signal?: AbortSignal): Promise<void> {
        signal?.throwIfAborted();
        if (this.active < this.limit) {
            this.active++;
            return;
        }
        await new Promise<void>((resolve, reject) => {
            const next = () => {
                signal?.removeEventListener("abort", leave);
                resolve();
            };
            const leave = () => {
                this.waiting.splice(this.waiting.indexOf(next), 1);
                reject(signal!.reason);
            };
            signal?.addEventListener("abort", leave, { once: true });
            this.waiting.push(next);
        });
    }

    release(): void {
        this.active--;
        while (this.active < this.limit && this.waiting.length > 0) {
            this.active++;
            this.waiting.shift()!();
        }
    }

    /**
     * The server allows fewer sessions than expected. Returns false if it allows none, so that waiting would not help.
     */
    shrink(): boolean {
        this.limit = Math.max(1, Math.min(this.limit, this.active - 1));
        return this.active > 1;
    }
}
