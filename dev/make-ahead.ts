import { setPriority } from "node:os";
import { type SetUpName, setUps } from "./set-up";

// Tests that run at the same time go first; compilers that this process starts inherit the priority.
setPriority(15);

setUps[process.argv[2] as SetUpName]
    .make(line => console.log(line))
    .catch(error => {
        console.error(String(error?.message ?? error));
        process.exitCode = 1;
    });
