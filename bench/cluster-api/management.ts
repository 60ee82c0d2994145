import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lab } from "../../lab";
import { LabProvider, labProvider, writeComponents } from "../../lab/cluster-api";
import { accessOf, type WorkloadAccess } from "../../provider/cluster-api/workload-kubeconfig";
import { ensureBundle } from "../../tools/bundle";
import { run } from "../../tools/run";
import { clusterArguments } from "../cluster/bench";
import { BenchProject } from "../project";

/** As in the tests: their golden image is then ours. */
const addOns = ["cluster-api"] as const;
const node = "m1";

/** A management cluster whose workload clusters have lab nodes as machines. */
export interface Management {
    lab: Lab;
    kubectlFile: string;
    /** For files of the bench. */
    folder: string;
    /** File with the administrator's access. */
    kubeconfig: string;
    access: WorkloadAccess;
    kubectl(...args: string[]): Promise<string>;
    /** A Pulumi project that reaches the clusters. */
    project(program: string): Promise<BenchProject>;
    say: (text: string) => void;
}

export async function withManagement<T>(
    say: (text: string) => void,
    work: (management: Management) => Promise<T>,
): Promise<T> {
    const name = "benchcapi";
    const bundle = await ensureBundle({ onProgress: say, addOns });
    await Lab.remove(name);
    const lab = await Lab.up({ name, nodes: [node], image: "kubernetes", addOns, report: say });
    const folder = mkdtempSync(join(tmpdir(), "nfv-bench-"));
    const project = (program: string) =>
        BenchProject.make({ program, plugins: ["kubernetes"], enter: argv => lab.enter(argv), say });
    const maker = await project("management");
    let provider: LabProvider | undefined;
    try {
        maker.give({ cluster: clusterArguments(lab, [node], []), management: managementArguments(bundle, folder) });
        await maker.up();
        say("the management cluster is ready");
        const text = await maker.run("stack", "output", "kubeconfig", "--show-secrets");
        const kubeconfig = join(folder, "management.kubeconfig");
        writeFileSync(kubeconfig, text, { mode: 0o600 });
        const kubectlFile = join(bundle, "bin/kubectl");
        provider = new LabProvider({ lab, addOns, kubectl: kubectlFile, kubeconfigs: [async () => text], report: say });
        return await work({
            ...{ lab, kubectlFile, folder, kubeconfig, project, say },
            access: accessOf(text),
            kubectl: (...args) => run(lab.enter([kubectlFile, "--kubeconfig", kubeconfig, ...args])),
        });
    } finally {
        await provider?.stop();
        maker.remove();
        await lab.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

function managementArguments(bundle: string, folder: string): object {
    return {
        bundle,
        providers: {
            ...{ "cluster-api": {}, "bootstrap-kubeadm": {}, "control-plane-kubeadm": {} },
            [labProvider.label]: { version: labProvider.version, components: writeComponents(folder) },
        },
    };
}
