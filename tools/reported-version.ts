import { basename } from "node:path";
import { tryRun } from "./run";

const questions: Record<string, string[]> = {
    kubectl: ["version", "--client"],
    kubeadm: ["version", "-o", "short"],
};

/** What a program of Kubernetes, or runc, says about itself: "1.36.3", or why it says nothing. */
export async function reportedVersion(program: string): Promise<{ version: string } | { silent: string }> {
    const argv = [program, ...(questions[basename(program)] ?? ["--version"])];
    const { exitCode, stdout, stderr } = await tryRun(argv, { timeoutSeconds: 20 });
    const [, version] = /(?:^|[\sv])(\d+\.\d+\.\d+[^\s,]*)/.exec(stdout) ?? [];
    if (exitCode === 0 && version !== undefined) return { version };
    const [first = ""] = `${stderr}${stdout}`.trim().split("\n");
    return { silent: `exit code ${exitCode}${first === "" ? "" : `, ${first}`}` };
}
