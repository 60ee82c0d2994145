import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";

export interface Call {
    program: string;
    args: string[];
    /** Only of a call with `-f -`. */
    input: string;
}

export interface ProgramAnswer {
    stdout?: string;
    /** @default 0 */
    code?: number;
}

/**
 * Programs in `folder` whose calls this process answers, one after another: so what they do can be written here, and a call costs a few milliseconds. The
 * script that calls them must run by `runShell`, because `spawnSync` lets this process answer nothing.
 */
export async function answerPrograms(folder: string, names: string[], answer: (call: Call) => ProgramAnswer) {
    const server = createServer({ allowHalfOpen: true }, socket => {
        let said = Buffer.alloc(0);
        socket.on("data", data => {
            said = Buffer.concat([said, data]);
            const call = callIn(said);
            if (call !== undefined) reply(socket, answer(call));
        });
        // the script was killed in its call
        socket.on("error", () => socket.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const name of names) writeFileSync(join(folder, name), stub(port), { mode: 0o755 });
    return { close: () => server.close() };
}

const reply = (socket: Socket, { stdout = "", code = 0 }: ProgramAnswer) => socket.end(`${code}\n${stdout}`);

/** Number of words, then each word with a NUL behind it. Undefined: not all is there yet. */
function callIn(said: Buffer): Call | undefined {
    const [count = "", ...words] = said.toString().split("\0");
    if (words.length <= Number(count) || count === "") return undefined;
    const [program = "", input = "", ...args] = words.slice(0, Number(count));
    return { program, input, args };
}

/** bash alone has connections, and is on each Debian. */
const stub = (port: number) => `#!/bin/bash
case " $* " in *" -f - "*) input=$(cat) ;; esac
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' $(($# + 2)) "\${0##*/}" "$input" "$@" >&3
read -r code <&3
cat <&3
exit "$code"
`;

/** Runs a script under `set -eu`, as a step's script runs. */
export async function runShell(text: string, env: NodeJS.ProcessEnv) {
    const shell = spawn("sh", ["-eu"], { env });
    let stdout = "";
    let stderr = "";
    shell.stdout.on("data", data => (stdout += data));
    shell.stderr.on("data", data => (stderr += data));
    shell.stdin.end(text);
    const [code] = (await once(shell, "close")) as [number | null];
    return { code, stdout, stderr };
}
