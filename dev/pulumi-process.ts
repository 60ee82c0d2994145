import { spawn } from "node:child_process";

/** How the Pulumi command line of one project is started. */
export interface PulumiCall {
    /** The command and what stands before it: a lab's `nsenter …`. */
    argv: string[];
    folder: string;
    env: NodeJS.ProcessEnv;
    /** A run that says nothing new for so long is ended. @default it may be silent for ever */
    quietMinutes?: number;
}

/** Result of a finished command. */
export interface Outcome {
    code: number;
    /** Standard output and standard error, in the order of their arrival. */
    output: string;
}

export interface RunningPulumi {
    pid: number;
    done: Promise<Outcome>;
}

export interface StartOptions {
    /** Receives the output as it comes. */
    onOutput?: (text: string) => void;
    /** For standard input. */
    input?: string;
}

/** Starts `pulumi …` as a child process; the caller may kill it. */
export function startPulumi(call: PulumiCall, args: string[], { onOutput, input }: StartOptions = {}): RunningPulumi {
    const [command, ...rest] = [...call.argv, ...args];
    const child = spawn(command!, rest, { cwd: call.folder, env: call.env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end(input);
    let output = "";
    const watch = endWhenQuiet(call.quietMinutes, signal => {
        output += `\n${signal}: the run has said nothing new for ${call.quietMinutes} minutes\n`;
        child.kill(signal);
    });
    for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8");
        stream.on("data", (text: string) => {
            output += text;
            if (!/^(@ \w+)?[.\s]*$/.test(text)) watch.moved();
            onOutput?.(text);
        });
    }
    child.on("close", () => watch.stop());
    const done = new Promise<Outcome>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => resolve({ code: code ?? (signal ? 137 : 1), output }));
    });
    return { pid: child.pid!, done };
}

/** Asks a run to stop once it has been quiet for so long; kills it after the same time again. */
function endWhenQuiet(minutes: number | undefined, end: (signal: NodeJS.Signals) => void) {
    let timer: NodeJS.Timeout | undefined;
    const stop = () => clearTimeout(timer);
    const after = (signal: NodeJS.Signals, next?: () => void) => {
        if (minutes === undefined) return;
        timer = setTimeout(() => {
            end(signal);
            next?.();
        }, minutes * 60_000);
    };
    const moved = () => {
        stop();
        after("SIGINT", () => after("SIGKILL"));
    };
    moved();
    return { moved, stop };
}

/** Runs `pulumi …` on this terminal. Without a terminal the output is passed on. */
export async function showPulumi(call: PulumiCall, args: string[]): Promise<Outcome> {
    if (!process.stdout.isTTY) {
        const onOutput = (text: string) => process.stdout.write(text);
        return startPulumi(call, [...args, "--non-interactive", "--suppress-progress"], { onOutput }).done;
    }
    // Ctrl-C reaches pulumi too, which cancels the operation in progress.
    const ignore = () => {};
    process.on("SIGINT", ignore);
    const [command, ...rest] = [...call.argv, ...args];
    const child = spawn(command!, rest, { cwd: call.folder, env: call.env, stdio: ["inherit", "inherit", "pipe"] });
    let output = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
        output += text;
        process.stderr.write(text);
    });
    const code = await new Promise<number>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", status => resolve(status ?? 1));
    });
    process.off("SIGINT", ignore);
    return { code, output };
}
