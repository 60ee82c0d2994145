import type { Socket } from "node:net";
import { setPriority } from "node:os";
import { type SetUpName, setUps } from "./set-up";

// Tests that run at the same time go first; compilers that this process starts inherit the priority.
setPriority(15);

// The whole group, without the process that started it: a compiler would go on. Ctrl-C in a terminal does not reach another group.
process.stdin.resume().once("close", () => process.kill(-process.pid, "SIGTERM"));
(process.stdin as Socket).unref();

setUps[process.argv[2] as SetUpName]
    .make(line => console.log(line))
    .catch(error => {
        console.error(String(error?.message ?? error));
        process.exitCode = 1;
    });
