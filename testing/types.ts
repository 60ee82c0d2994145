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
    /** The command was run through `sudo -n`. */
    sudo: boolean;
    /** Without the words that the transport puts before it: sudo and timeout. */
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
    /** Waits this long before the answer. */
    delaySeconds?: number;
    /** Drops the whole connection instead of answering. */
    cut?: boolean;
    /** Never ends, so the caller's deadline has to. */
    hang?: boolean;
}

export type Answering = FakeAnswer | ((call: FakeCall) => FakeAnswer | Promise<FakeAnswer>);

/** How a step ends on a fake node. */
export interface StepAnswer {
    /** @default 0 */
    exitCode?: number;
    /** The step's output. */
    output?: string;
    /** The answer of an act that gives one. */
    answer?: string;
    /** Overrides `durations`. */
    seconds?: number;
}

/** One line of a fleet's log. Times are milliseconds since the epoch. */
export interface FleetEvent {
    time: number;
    node: string;
    event: "begin" | "end" | "attach" | "connect" | "open" | "busy" | "foreign";
    /** For begin, end and attach. */
    step?: string;
    fingerprint?: string;
    exitCode?: number;
}

export interface FakeBehaviour {
    /** Users that may log in, by any of the means below. Default: everybody. */
    users?: string[];
    /** Public keys that are accepted, besides the fleet's own. */
    authorizedKeys?: string[];
    /** Accepts this password ("password" and "keyboard-interactive"). Default: passwords are refused. */
    password?: string;
    /** Ask for the password as "keyboard-interactive" only. */
    onlyKeyboardInteractive?: boolean;
    /** Whether `sudo -n` works for users other than root. @default true */
    sudo?: boolean;
    /** Sessions on one connection, as sshd's MaxSessions. @default 10 */
    maxSessions?: number;
    /** Where its SSH server listens: a loopback address, and a port that is free there. @default 127.0.0.1, any port */
    listen?: { host: string; port: number };
    /** Whether it forwards connections to other machines, or which local port stands for "HOST:PORT". @default true */
    forwarding?: boolean | Record<string, number>;
    /** Answer to commands that have no other answer. Default: exit code 127. */
    unknownCommand?: Answering;
    /** Seconds that each step takes, by its id. Other steps take none. */
    durations?: Record<string, number> | ((node: string, step: string) => number | undefined);
    /** Multiplies all simulated durations: 0.01 makes a minute 0.6 s. @default 1 */
    timeScale?: number;
    /** How steps end, by id. Default: exit code 0. */
    steps?: Record<string, StepAnswer | ((script: string) => StepAnswer)>;
    /** Exit codes of probes, by step id. Default: 1 (the step must be done). */
    probes?: Record<string, number | ((node: string) => number)>;
    /** Answer of acts that give one, by a control-plane node. Default: a join token. */
    controlPlane?: string | ((script: string, node: string) => string);
    /** Larger files are not kept, only their size and sum. @default 1 MiB */
    keepBytes?: number;
}
