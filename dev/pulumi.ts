import { spawnSync } from "node:child_process";
import { Lab } from "../lab";
import { demo, demoEnvironment } from "./demo";
import { projectRoot } from "./levels";

/** `npm run pulumi -- …`: the Pulumi command line on the demo's stack, where its machines can be reached. */
async function main(): Promise<number> {
    const environment = await demoEnvironment(() => {});
    const [command, ...rest] = Lab.attach(demo.lab).enter([environment.pulumi, ...process.argv.slice(2)]);
    const env = { ...environment.env, PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
    return spawnSync(command!, rest, { cwd: projectRoot, env, stdio: "inherit" }).status ?? 1;
}

main().then(
    code => process.exit(code),
    error => {
        console.error(`error: ${error instanceof Error ? error.message : error}`);
        process.exit(1);
    },
);
