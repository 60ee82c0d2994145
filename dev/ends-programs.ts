import { endPrograms } from "./process-tree";

/** For processes of tests that are told to end: programs that a story has in the background would go on, and change its machines. */
process.once("SIGTERM", () => {
    try {
        endPrograms(process.pid, 10);
    } finally {
        process.kill(process.pid, "SIGTERM");
    }
});
