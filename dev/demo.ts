import * as path from "node:path";
import type { Lab } from "../lab";
import { cacheRoot } from "../tools/cache";
import { type PulumiEnvironment, pulumiEnvironment } from "../tools/pulumi-environment";
import { projectRoot } from "./levels";
import { PulumiProject } from "./pulumi-project";

/** What `npm start` and `npm run destroy` share: one lab and one stack, both named "demo". */
export const demo = {
    lab: "demo",
    stack: "demo",
    masters: ["m1", "m2", "m3"],
    vip: "10.99.0.100",
    state: () => path.join(cacheRoot(), "demo", "state"),
    kubeconfig: () => path.join(cacheRoot(), "demo", "kubeconfig"),
};

export const workerNames = (count: number) => Array.from({ length: count }, (_, i) => `w${i + 1}`);

export async function demoEnvironment(say: (text: string) => void): Promise<PulumiEnvironment> {
    return pulumiEnvironment({ plugins: ["kubernetes"], stateFolder: demo.state(), onProgress: say });
}

/** The project at the root; its commands run in the lab's network. */
export function demoProject(environment: PulumiEnvironment, lab: Lab): Promise<PulumiProject> {
    return PulumiProject.open({
        folder: projectRoot,
        pulumi: environment.pulumi,
        env: environment.env,
        state: demo.state(),
        stack: demo.stack,
        enter: argv => lab.enter(argv),
    });
}

/** A killed run leaves the state locked. Only the user can know whether another run is still going on. */
export function explainLock(output: string): void {
    if (!/currently locked/.test(output)) return;
    console.error(`
The state is locked: another run is going on, or one was killed before it could unlock.
If none is going on (no other terminal, no pipeline), unlock it and run the command again:
  npm run pulumi -- cancel --yes`);
}
