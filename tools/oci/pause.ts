import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { obtain } from "../cache";
import type { Progress } from "../progress";
import { hasProgram, run } from "../run";
import { ensurePackages } from "../system-packages";

/**
 * The process that holds a pod's namespaces: sleeps, reaps orphans, ends on a signal. With -v it prints its version and ends:
 * `kubeadm upgrade` starts it so, to test whether the cluster can run a job.
 */
const source = `
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_child(int signal_number) {
    (void)signal_number;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

static void on_end(int signal_number) {
    (void)signal_number;
    _exit(0);
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "-v") == 0) {
        puts("pause (pulumi-nfv)");
        return 0;
    }
    struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
    struct sigaction end = {.sa_handler = on_end};
    if (sigaction(SIGCHLD, &child, NULL) || sigaction(SIGTERM, &end, NULL) || sigaction(SIGINT, &end, NULL)) {
        return 1;
    }
    for (;;) {
        pause();
    }
}
`;

/** The static program, built with gcc. */
export async function pauseProgram(progress: Progress): Promise<string> {
    const build = async (draft: string) => {
        if (!(await hasProgram("gcc"))) {
            await ensurePackages(["gcc", "libc6-dev"], "bundles (the pause image)", { onProgress: progress });
        }
        await writeFile(join(draft, "pause.c"), source);
        const argv = ["gcc", "-Os", "-static", "-s", "-Wall", "-Werror", "-o", "pause", "pause.c"];
        await run(argv, { cwd: draft, what: "build pause" });
        return {};
    };
    const entry = await obtain({ group: "oci", name: "pause", inputs: source }, build, progress);
    return join(entry.folder, "pause");
}
