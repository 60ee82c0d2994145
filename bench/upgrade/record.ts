import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lab } from "../../lab";
import { labBundle } from "../../lab/kubernetes-image";
import { patchesFolder } from "../../provider/kubeadm/paths";
import { run } from "../../tools/run";
import { packageRoot } from "../../tools/settings";
import { versions } from "../../tools/versions";
import { clusterArguments } from "../cluster/bench";
import { machine, seconds } from "../harness";
import { BenchProject } from "../project";
import { recordedUpgradeFile, recordingOf } from "../recorded-steps";
import { names } from "../simulation/simulated-cluster";
import type { Bench } from "../types";
import { actsIn, commandsIn, type Durations, type RecordedUpgrade } from "./durations";

/** The same programs under two numbers (tools/restamp.ts). */
const [from, to] = ["1.36.2", versions.kubernetes];
const masters = names("m", 3);
const workers = names("w", 2);
const nodes = [...masters, ...workers];

interface Upgraded {
    lab: Lab;
    folder: string;
    project: BenchProject;
    /** The program asks for this version. */
    give(version: string): void;
}

export const recordUpgradeBench: Bench = {
    about: "records an upgrade of 3 + 2 lab nodes by us and by hand, one after the other (no comparison)",
    rounds: 1,
    options: { to: { about: "file for the durations", default: recordedUpgradeFile } },
    async run({ options, say }) {
        const load = machine();
        const taken: Record<string, number> = {};
        const ours = await onCluster(say, async ({ lab, project, give }) => {
            const began = Date.now() / 1000;
            give(to);
            taken["pulumi up"] = await seconds(() => project.up());
            const lines = `journalctl -o short-unix --no-pager --since @${Math.floor(began)} | grep nfv-step- || true`;
            const journals = nodes.map(async node => [node, await lab.mustSsh(node, lines)] as const);
            return actsIn(Object.fromEntries(await Promise.all(journals)));
        });
        const byHand = await onCluster(say, async fixture => {
            let said = "";
            await bring(fixture);
            taken["by hand"] = await seconds(async () => (said = await upgradeByHand(fixture)));
            return commandsIn(said);
        });
        const source = `bench/record-upgrade: ${masters.length} masters + ${workers.length} workers on lab nodes, ${from} to ${to}, once by pulumi up and once by hand, each on a cluster of its own; ${load}`;
        const secondsOf = (durations: Durations) => recordingOf(durations, source).seconds;
        const recorded: RecordedUpgrade = { source, ours: secondsOf(ours), byHand: secondsOf(byHand) };
        writeFileSync(options["to"]!, `${JSON.stringify(recorded, null, 2)}\n`);
        const facts = Object.entries(taken).map(([name, value]) => [`seconds of ${name}`, value.toFixed(0)]);
        return {
            bench: "record-upgrade",
            how: [source],
            comparisons: [],
            facts: Object.fromEntries(facts),
            samples: {},
        };
    },
};

/** A new cluster of the former version, which `pulumi up` has made. */
async function onCluster<T>(say: (text: string) => void, work: (upgraded: Upgraded) => Promise<T>): Promise<T> {
    const name = "benchupgrade";
    await Lab.remove(name);
    const lab = await Lab.up({ name, nodes, image: "kubernetes", kubernetes: [from, to], report: say });
    const folder = mkdtempSync(join(tmpdir(), "nfv-bench-"));
    const project = await BenchProject.make({ program: "cluster", enter: argv => lab.enter(argv), say });
    const give = (version: string) => {
        const args = clusterArguments(lab, masters, workers);
        const source = { bundle: { path: join(folder, `bundle-${version}`) } };
        project.give({ ...args, kubernetes: { version, source } });
    };
    try {
        for (const version of [from, to]) await programsOf(version, folder);
        give(from);
        await project.up();
        return await work({ lab, folder, project, give });
    } finally {
        project.remove();
        await lab.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** The machines have the container images of both versions, so that a bundle needs programs only. */
async function programsOf(version: string, parent: string): Promise<void> {
    const bundle = await labBundle(version, [], () => {});
    const folder = join(parent, `bundle-${version}`);
    mkdirSync(folder);
    const manifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
    const files = manifest.files.filter(({ kind }: { kind: string }) => kind !== "image");
    for (const name of readdirSync(bundle).filter(each => each !== "manifest.json"))
        symlinkSync(join(bundle, name), join(folder, name));
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, files }));
}

/** The new programs are on the machines when the time begins, because bringing them depends on the operator's network. */
async function bring({ lab, folder }: Upgraded): Promise<void> {
    const programs = join(folder, `bundle-${to}`, "bin");
    for (const node of nodes) {
        await lab.mustSsh(node, "mkdir -p /root/new");
        for (const name of ["kubeadm", "kubelet", "kubectl"])
            await run(["sh", "-c", '"$@" <"$0"', join(programs, name), ...intoFile(lab, node, `/root/new/${name}`)]);
    }
}

function intoFile(lab: Lab, node: string, path: string): string[] {
    const { address } = lab.node(node);
    const unchecked = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"];
    return lab.enter(["ssh", "-i", lab.keyFile, ...unchecked, `root@${address}`, `cat >${path}; chmod 755 ${path}`]);
}

async function upgradeByHand({ lab, folder, project }: Upgraded): Promise<string> {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, await project.run("stack", "output", "kubeconfig", "--show-secrets"), { mode: 0o600 });
    const addresses = (list: string[]) => list.map(name => `${name}=${lab.node(name).address}`).join(" ");
    const env = {
        MASTERS: addresses(masters),
        WORKERS: addresses(workers),
        KEY: lab.keyFile,
        WORK: folder,
        VERSION: to,
        PATCHES: patchesFolder,
        KUBECTL: join(folder, `bundle-${to}`, "bin/kubectl"),
        KUBECONFIG: kubeconfig,
    };
    return run(lab.enter(["bash", join(packageRoot(), "bench/rivals/upgrade-by-hand.sh")]), { env });
}
