/** Which commands an answer is for: the whole argv, its beginning, a pattern over the words joined by spaces, or a function. */
export type Matcher =
    | readonly string[]
    | { startsWith: readonly string[] }
    | RegExp
    | ((argv: readonly string[]) => boolean);

/** One command that a fake node was asked to run. */
export interface FakeCall {
    node: string;
    user: string;
    /** It came through `sudo -n`. */
    sudo: boolean;
    /** Without what the transport puts before it: sudo, and timeout. */
    argv: string[];
    stdin: Buffer;
}

export interface FakeAnswer {
    /** @default 0 */
    code?: number;
    /** Ended by this signal ("KILL") instead of by an exit code. */
    signal?: string;
    stdout?: string | Buffer;
    stderr?: string;
    /** Before anything is answered. */
    delaySeconds?: number;
    /** Drops the whole connection instead of answering. */
    cut?: boolean;
    /** Never ends: the caller's deadline has to. */
    hang?: boolean;
}

export type Answering = FakeAnswer | ((call: FakeCall) => FakeAnswer | Promise<FakeAnswer>);

/** How a step ends on a fake node. */
export interface StepAnswer {
    /** @default 0 */
    exitCode?: number;
    /** What it prints. */
    output?: string;
    /** Overrides `durations`. */
    seconds?: number;
}

/** One line of a fleet's log. Times are milliseconds since the epoch. */
export interface FleetEvent {
    time: number;
    node: string;
    event: "begin" | "end" | "attach" | "connect" | "open" | "busy" | "foreign";
    /** Of begin, end, attach. */
    step?: string;
    fingerprint?: string;
    exitCode?: number;
}

export interface FakeBehaviour {
    /** Users that may log in, with any of the means below. Default: everybody. */
    users?: string[];
    /** Public keys that are let in, beside the fleet's own. */
    authorizedKeys?: string[];
    /** Lets in by password ("password" and "keyboard-interactive"). Default: passwords are refused. */
    password?: string;
    /** Only ask for the password as "keyboard-interactive". */
    onlyKeyboardInteractive?: boolean;
    /** What `sudo -n` does for users other than root. @default true */
    sudo?: boolean;
    /** Sessions on one connection, as sshd's MaxSessions. @default 10 */
    maxSessions?: number;
    /** Lets others be reached through it; or which port of this machine "HOST:PORT" is behind it. @default true */
    forwarding?: boolean | Record<string, number>;
    /** Answer to commands that nothing else answers. Default: exit code 127. */
    unknownCommand?: Answering;
    /** Seconds that each step takes, by its id. Others take none. */
    durations?: Record<string, number> | ((node: string, step: string) => number | undefined);
    /** Multiplies all simulated durations: 0.01 makes a minute 0.6 s. @default 1 */
    timeScale?: number;
    /** How steps end, by id. Default: exit code 0. */
    steps?: Record<string, StepAnswer | ((script: string) => StepAnswer)>;
    /** Exit codes of probes, by step id. Default: 1 (something is to do). */
    probes?: Record<string, number>;
    /** Standard output of `onControlPlane` scripts. Default: a join token. */
    controlPlane?: string | ((script: string, node: string) => string);
    /** Content of files above this size is not kept, only size and sum. @default 1 MiB */
    keepBytes?: number;
}
