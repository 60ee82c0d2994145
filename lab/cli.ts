#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { ensureBundle } from "../tools/bundle";
import { checkSystem, type ImageName, imageNames } from "./images";
import { Lab } from "./lab";
import { parseCpus, parseSize } from "./names";
import { cloudCommand } from "./openstack/cli";

const usage = `Usage: lab COMMAND [--name LAB]        LAB is "demo" by default

  up N | NAME...      make a lab, or add nodes to it
      --image plain|kubernetes|machine   --memory 4GiB   --cpus 2   --volume NODE:SIZE (may be repeated)
      --system debian-12|debian-13    of the nodes that are made now; the machine's own by default
                    machine: a virtual machine with a kernel of its own, slow
      --registry      also run a container registry at 10.99.0.1:5000
  down                remove the lab, whatever state it is in
  list                names of the labs here
  status              nodes with address and state (--json for programs)
  ssh [USER@]NODE [COMMAND...]   user is debian by default
  exec -- COMMAND...  run a command in the lab's network
  poweron NODE | poweroff NODE | reboot NODE     poweroff pulls the plug
  registry ca | push [BUNDLE]    its certificate; push the images of a bundle (default: the one of this package)
  cut NODE | restore NODE        silent cut of the network
  cloud COMMAND...    an OpenStack instead of nodes: lab cloud --help
`;

interface Invocation {
    lab: () => Lab;
    name: string;
    words: string[];
    values: Values;
}

interface Values {
    image?: string;
    system?: string;
    memory?: string;
    cpus?: string;
    volume?: string[];
    json?: boolean;
    registry?: boolean;
}

const report = (line: string) => console.error(line);

const commands: Record<string, (call: Invocation) => Promise<number | undefined>> = {
    async up({ name, words, values }) {
        const image = (values.image ?? "plain") as ImageName;
        if (!imageNames.includes(image)) {
            throw new Error(`--image is one of ${imageNames.join(", ")}`);
        }
        const start = Date.now();
        const lab = await Lab.up({
            name,
            nodes: words,
            image,
            system: checkSystem(values.system),
            memoryBytes: values.memory ? parseSize(values.memory) : undefined,
            cpus: values.cpus ? parseCpus(values.cpus) : undefined,
            volumes: volumes(values.volume ?? []),
            registry: values.registry,
            report,
        });
        for (const node of lab.nodes) {
            console.log(`${node.name.padEnd(12)} ${node.address}`);
        }
        console.log(`lab ${name} is up after ${((Date.now() - start) / 1000).toFixed(1)} s`);
        return undefined;
    },
    async down({ name }) {
        await Lab.remove(name);
        return undefined;
    },
    async list() {
        console.log(Lab.list().join("\n"));
        return undefined;
    },
    async status({ lab, values }) {
        const nodes = lab().status();
        if (values.json) {
            console.log(JSON.stringify(nodes, undefined, 4));
        } else {
            for (const node of nodes) {
                console.log(`${node.name.padEnd(12)} ${node.address.padEnd(12)} ${node.state.padEnd(4)} ${node.image}`);
            }
        }
        return undefined;
    },
    async ssh({ lab, words }) {
        const [target, ...command] = words;
        const [node, user] = (target ?? "").split("@").reverse();
        return spawn(lab().sshArgv(node!, user), command);
    },
    exec: async ({ lab, words }) => spawn(lab().enter([]), words),
    async registry({ lab, words: [action, bundle] }) {
        if (action === "push") {
            await lab().pushBundle(bundle ?? (await ensureBundle({ onProgress: report })), report);
            return undefined;
        }
        console.log(lab().registry?.ca ?? "this lab has no registry");
        return undefined;
    },
    poweron: onNode((lab, node) => lab.powerOn(node)),
    poweroff: onNode((lab, node) => lab.powerOff(node)),
    reboot: onNode((lab, node) => lab.reboot(node)),
    cut: onNode((lab, node) => lab.cut(node)),
    restore: onNode((lab, node) => lab.restore(node)),
};

function onNode(action: (lab: Lab, node: string) => Promise<void>) {
    return async ({ lab, words }: Invocation) => {
        for (const node of words) {
            await action(lab(), node);
        }
        return undefined;
    };
}

function volumes(words: readonly string[]): Record<string, number[]> {
    const result: Record<string, number[]> = {};
    for (const word of words) {
        const [node, size] = word.split(":");
        result[node!] = [...(result[node!] ?? []), parseSize(size ?? "")];
    }
    return result;
}

function spawn(prefix: string[], command: string[]): number {
    const result = spawnSync(prefix[0]!, [...prefix.slice(1), ...command], { stdio: "inherit" });
    return result.status ?? 137;
}

/** Words after the node of `ssh`, or after `--`, belong to the command and are not parsed. */
function split(argv: readonly string[]): { own: string[]; rest: string[] } {
    const dashes = argv.indexOf("--");
    if (dashes >= 0) {
        return { own: argv.slice(0, dashes), rest: argv.slice(dashes + 1) };
    }
    const command = argv.findIndex((word, i) => i > 0 && !word.startsWith("-") && argv[i - 1] !== "--name");
    return argv[0] === "ssh" && command > 0
        ? { own: argv.slice(0, command), rest: argv.slice(command) }
        : { own: [...argv], rest: [] };
}

async function main(argv: readonly string[]): Promise<number> {
    if (argv[0] === "cloud") {
        return cloudCommand(argv.slice(1));
    }
    const { own, rest } = split(argv);
    const { values, positionals } = parseArgs({
        args: own,
        allowPositionals: true,
        options: {
            name: { type: "string", default: "demo" },
            image: { type: "string" },
            system: { type: "string" },
            memory: { type: "string" },
            cpus: { type: "string" },
            volume: { type: "string", multiple: true },
            json: { type: "boolean" },
            registry: { type: "boolean" },
            help: { type: "boolean", short: "h" },
        },
    });
    const [command, ...words] = positionals;
    if (values.help || !command || !commands[command]) {
        console.log(usage);
        return values.help ? 0 : 2;
    }
    const name = values.name;
    return (await commands[command]({ name, values, words: [...words, ...rest], lab: () => Lab.attach(name) })) ?? 0;
}

main(process.argv.slice(2)).then(
    code => {
        process.exitCode = code;
    },
    error => {
        console.error(`error: ${(error as Error).message}`);
        process.exitCode = 1;
    },
);
