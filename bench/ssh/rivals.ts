import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { obtain } from "../../tools/cache";
import type { Progress } from "../../tools/progress";
import { run, tryRun } from "../../tools/run";
import { ensurePackages } from "../../tools/system-packages";
import type { SshdFleet } from "./sshd";

export const ansibleVersion = "2.19.14";

/** The folder of a Python environment with ansible-core from PyPI. */
export async function ansible(say: Progress): Promise<string> {
    const hasVenv = await tryRun(["python3", "-c", "import venv, ensurepip"]);
    if (hasVenv.exitCode !== 0) {
        await ensurePackages(["python3-venv"], "bench/ssh", { onProgress: say });
    }
    const inputs = { ansibleVersion, python: (await run(["python3", "--version"])).trim() };
    const request = { group: "bench", name: `ansible-core-${ansibleVersion}`, inputs };
    const { folder } = await obtain(
        request,
        async draft => {
            say(`installing ansible-core ${ansibleVersion} from PyPI`);
            await run(["python3", "-m", "venv", draft]);
            const pip = [`${draft}/bin/python`, "-m", "pip", "install", "-q", "--disable-pip-version-check"];
            await run([...pip, `ansible-core==${ansibleVersion}`]);
            return {};
        },
        say,
    );
    return folder;
}

/** ansible-core as an expert configures it: a fork per node, pipelining, persistent connections, no facts, no module to copy (`raw`). */
export function ansibleFiles(
    fleet: Pick<SshdFleet, "folder" | "ports" | "keyFile" | "knownHosts">,
    commands: string[],
) {
    const { folder, ports, keyFile, knownHosts } = fleet;
    return {
        "ansible.cfg": `[defaults]
forks = ${ports.length}
gathering = explicit
host_key_checking = True
local_tmp = ${folder}/ansible-tmp
interpreter_python = /usr/bin/python3
retry_files_enabled = False
[ssh_connection]
pipelining = True
control_path_dir = ${folder}/masters
ssh_args = -o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=${knownHosts}
`,
        inventory: ports
            .map(port => `node-${port} ansible_host=127.0.0.1 ansible_port=${port} ansible_user=root`)
            .map(line => `${line} ansible_ssh_private_key_file=${keyFile}\n`)
            .join(""),
        // JSON is YAML. With the free strategy no node waits for another between tasks.
        "play.yml": JSON.stringify([
            {
                hosts: "all",
                gather_facts: false,
                strategy: "free",
                tasks: commands.map(command => ({ name: command, raw: command })),
            },
        ]),
    };
}

/** Runs the play and returns how many commands answered. */
export async function runAnsible(venv: string, fleet: SshdFleet): Promise<number> {
    // Ansible ignores the configuration of a folder that others may write to, hence the explicit path.
    const output = await run([`${venv}/bin/python`, `${venv}/bin/ansible-playbook`, "-i", "inventory", "play.yml"], {
        cwd: fleet.folder,
        env: { ANSIBLE_CONFIG: join(fleet.folder, "ansible.cfg"), ANSIBLE_NOCOLOR: "1", LC_ALL: "C.UTF-8" },
    });
    return [...output.matchAll(/ ok=(\d+) .*unreachable=0 .*failed=0/g)].reduce((sum, [, ok]) => sum + Number(ok), 0);
}

export function writeAnsibleFiles(fleet: SshdFleet, commands: string[]): void {
    for (const [name, text] of Object.entries(ansibleFiles(fleet, commands))) {
        writeFileSync(join(fleet.folder, name), text);
    }
    mkdirSync(join(fleet.folder, "ansible-tmp"), { recursive: true });
}

/** What a shell script does: all nodes in parallel, on each one command after another, a client process for each. */
export function clientScript(
    fleet: Pick<SshdFleet, "ports" | "keyFile" | "knownHosts" | "folder">,
    count: number,
    multiplexed: boolean,
) {
    const shared = multiplexed
        ? `-o ControlMaster=auto -o ControlPersist=60 -o ControlPath=${fleet.folder}/masters/c-%p`
        : "-o ControlMaster=no -o ControlPath=none";
    return `node() {
    i=0
    while [ $i -lt ${count} ]; do
        ssh -F none -i ${fleet.keyFile} -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=${fleet.knownHosts} ${shared} \\
            -p $1 root@127.0.0.1 echo "command-$i" </dev/null
        i=$((i + 1))
    done
}
for port in ${fleet.ports.join(" ")}; do
    node $port &
done
wait
`;
}

export async function runClient(script: string): Promise<number> {
    const output = await run(["sh", "-c", script]);
    return output.split("\n").filter(line => line.startsWith("command-")).length;
}

/** Ends the persistent connections. Outside of the timing. */
export async function endMasters(fleet: SshdFleet): Promise<void> {
    const script = `for s in "$0"/masters/*; do [ -S "$s" ] && ssh -F none -o ControlPath="$s" -O exit x 2>/dev/null; done; true`;
    await run(["sh", "-c", script, fleet.folder]);
}
