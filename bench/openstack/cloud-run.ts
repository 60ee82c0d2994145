import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../dev/levels";
import { PulumiProject } from "../../dev/pulumi-project";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { Cloud } from "../../lab/openstack";
import type { BackEnd } from "../../provider/openstack/requirements";
import { pulumiEnvironment } from "../../tools/pulumi-environment";
import { run } from "../../tools/run";
import { journalScript, parseJournal } from "../cluster/journal";
import { storedSteps } from "../stored-cluster";
import {
    bootScript,
    operationTimes,
    parseBoot,
    type StackEventRow,
    type StoredMachine,
    serverTimes,
    stackTimes,
    storedMachines,
} from "./answers";
import type { CloudRun } from "./moments";

export interface CloudRunOptions {
    cloud: Cloud;
    backEnd: BackEnd;
    masters: number;
    workers: number;
    /** Operations at the same time. @default Pulumi's choice */
    parallel?: number;
    say: (text: string) => void;
}

const stackName = "core";

/** Runs the example on the cloud with `pulumi up`, records it, and runs `pulumi destroy`. */
export async function runOnCloud(options: CloudRunOptions): Promise<CloudRun> {
    const { cloud, backEnd, masters, workers, parallel, say } = options;
    const environment = await pulumiEnvironment({ plugins: ["kubernetes", "openstack"], onProgress: say });
    const folder = mkdtempSync(join(tmpdir(), "nfv-bench-cloud-"));
    const example = join(projectRoot, "examples", `openstack-${backEnd}`);
    const stack = "bench";
    const project = await PulumiProject.open({
        folder: example,
        pulumi: environment.pulumi,
        env: { ...environment.env, OS_CLIENT_CONFIG_FILE: cloud.cloudsYaml, OS_CLOUD: "lab" },
        state: join(folder, "state"),
        stack,
        enter: argv => cloud.enter(argv),
    });
    try {
        await project.setConfig({
            image: cloud.images.kubernetes,
            flavor: "m1.medium",
            externalNetwork: cloud.publicNetwork,
            masters: `${masters}`,
            workers: `${workers}`,
            kubelet: JSON.stringify(labKubelet),
            kubeProxy: JSON.stringify(labKubeProxy),
        });
        try {
            const began = Date.now() / 1000;
            await project.run([
                "up",
                "--yes",
                "--skip-preview",
                "--non-interactive",
                ...(parallel === undefined ? [] : ["--parallel", `${parallel}`]),
            ]);
            const ended = Date.now() / 1000;
            say(`${backEnd}: up after ${(ended - began).toFixed(1)} s, asking what took how long …`);
            return { began, ended, ...(await seen({ cloud, backEnd, project, folder })) };
        } finally {
            say(`${backEnd}: destroy …`);
            await project.destroy();
        }
    } finally {
        // The stack's configuration file is beside the program, as in every project.
        rmSync(join(example, `Pulumi.${stack}.yaml`), { force: true });
        rmSync(folder, { recursive: true, force: true });
    }
}

interface Fixture extends Pick<CloudRunOptions, "cloud" | "backEnd"> {
    project: PulumiProject;
    folder: string;
}

async function seen({ cloud, backEnd, project, folder }: Fixture): Promise<Omit<CloudRun, "began" | "ended">> {
    const exported = JSON.stringify(await project.stack.exportStack());
    const servers: CloudRun["servers"] = {};
    const journals: CloudRun["journals"] = {};
    for (const machine of storedMachines(exported)) {
        const shown = await cloud.json(["server", "show", machine.serverId]);
        const said = await onServer(cloud, machine, join(folder, "key"), `${journalScript}\n${bootScript}`);
        servers[machine.name] = { ...serverTimes(shown), ready: parseBoot(said) };
        journals[machine.name] = parseJournal(said);
    }
    const events = () => cloud.json<StackEventRow[]>(["stack", "event", "list", stackName]);
    return {
        servers,
        journals,
        ...(backEnd === "heat" && { stack: stackTimes(stackName, await events()) }),
        steps: storedSteps(exported),
        ...operationTimes(exported),
    };
}

/** Standard output of a script that runs as root on a server. */
function onServer(cloud: Cloud, { connection }: StoredMachine, keyFile: string, script: string): Promise<string> {
    writeFileSync(keyFile, connection.privateKey, { mode: 0o600 });
    const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"];
    const login = ["ssh", "-i", keyFile, ...options.flatMap(option => ["-o", option])];
    const argv = [...login, `${connection.user}@${connection.host}`, "sudo -n sh -s"];
    return run(cloud.enter(argv), { input: script, timeoutSeconds: 60 });
}
