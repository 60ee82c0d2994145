import * as fs from "node:fs";
import * as path from "node:path";
import { Lab } from "../lab";
import { labKubelet } from "../lab/node-settings";
import { ensureBundle } from "../tools/bundle";
import { versions } from "../tools/versions";
import { readStartArguments } from "./arguments";
import { demo, demoEnvironment, demoProject, explainLock, workerNames } from "./demo";
import { phase } from "./progress";
import type { PulumiProject } from "./pulumi-project";

const help = `npm start [-- --workers N]
  Brings up the demo: machines in network namespaces of their own, on them a cluster of three control-plane nodes and N workers
  (default: as many as there are, at first 2) with a network function of two replicas.
  Needs root on Debian. Remove it with: npm run destroy`;

async function main(): Promise<void> {
    const asked = readStartArguments(process.argv.slice(2));
    if (asked.help) return console.log(help);
    const workers = asked.workers ?? existingWorkers();
    if (process.getuid?.() !== 0)
        throw new Error("the demo needs root: its machines are network namespaces and mounts. Nothing was changed.");
    const began = Date.now();

    const environment = await phase("Pulumi: command line and plugins", demoEnvironment);
    const bundle = await phase(`Kubernetes ${versions.kubernetes}: binaries and images`, say =>
        ensureBundle({ onProgress: say }),
    );
    const lab = await phase("the demo's machines", say =>
        Lab.up({ name: demo.lab, nodes: [...demo.masters, ...workerNames(workers)], image: "kubernetes", report: say }),
    );
    const project = await demoProject(environment, lab);
    const missing = environment.missingPlugins.kubernetes;
    await configure(project, lab, workers, missing === undefined);
    const { resourceCount = 0 } = (await project.stack.workspace.stack()) ?? {};
    if (resourceCount > 0) {
        const preview = await project.preview("--diff");
        if (!/^\s+[~+-]/m.test(resourceLines(preview))) {
            console.log(`\nNothing to do: the cluster is as the program says (${seconds(began)} s).`);
            return say(lab, bundle, missing);
        }
        console.log(preview);
    }
    const { code, output } = await project.show(["up", "--yes", "--skip-preview"]);
    if (code !== 0) {
        explainLock(output);
        throw new Error(
            "pulumi up failed; what was done is kept. Correct the cause and run npm start again: it goes on there.",
        );
    }
    fs.writeFileSync(demo.kubeconfig(), await project.output("kubeconfig"), { mode: 0o600 });
    console.log(`\nDone in ${seconds(began)} s.`);
    say(lab, bundle, missing);
}

/** As many workers as the demo has; 2 for a new one. */
function existingWorkers(): number {
    const existing = Lab.list().includes(demo.lab) ? Lab.attach(demo.lab).nodes : [];
    return existing.filter(node => node.name.startsWith("w")).length || 2;
}

async function configure(project: PulumiProject, lab: Lab, workers: number, cnf: boolean): Promise<void> {
    const machine = (name: string) => [
        name,
        { address: lab.node(name).address, ssh: { hostKey: lab.node(name).hostKey } },
    ];
    const hosts = {
        controlPlane: Object.fromEntries(demo.masters.map(machine)),
        pools: { workers: Object.fromEntries(workerNames(workers).map(machine)) },
    };
    await project.setConfig(
        {
            "nfv:hosts": JSON.stringify(hosts),
            "nfv:user": "debian",
            "nfv:vip": demo.vip,
            "nfv:cnf": String(cnf),
            "nfv:kubelet": JSON.stringify(labKubelet),
        },
        { "nfv:privateKey": lab.node(demo.masters[0]!).privateKey },
    );
}

/** Preview's lines about resources and properties, without its closing counts. */
function resourceLines(preview: string): string {
    return preview.split(/^Resources:/m)[0]!;
}

const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(0);

function say(lab: Lab, bundle: string, missing: string | undefined): void {
    const kubectl = `${lab.enter([]).join(" ")} ${path.join(bundle, "bin", "kubectl")} --kubeconfig ${demo.kubeconfig()}`;
    const names = lab.nodes.map(node => node.name).join(", ");
    console.log(`
There is a Kubernetes cluster "core" on ${names}; its API answers at https://${demo.vip}:16443${
        missing ? "" : ',\nwith the network function "web" (two replicas) in namespace demo'
    }.
${missing ? `\nNo network function was deployed: the Cnf needs Pulumi's kubernetes plugin. ${missing}\n` : ""}
  look at it     ${kubectl} get nodes,pods -A -o wide
  log in         npm run lab -- ssh --name ${demo.lab} m1
  what would …   npm run pulumi -- preview --diff
  change it      npm start -- --workers 3
  break it       npm run lab -- poweroff --name ${demo.lab} m1     (and poweron)
  remove it      npm run destroy`);
}

main().catch(error => {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
});
