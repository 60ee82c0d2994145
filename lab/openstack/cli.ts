import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkSystem, type SystemName } from "../images";
import { Cloud } from "./cloud";
import { statusLines } from "./health";
import { proveCloud } from "./prove";

const usage = `Usage: lab cloud COMMAND [--name CLOUD]        CLOUD is "cloud" by default

  up                    make the cloud, or what of it is missing
      --system debian-12|debian-13      Zed or 2025.1: whose packages a new cloud runs (default debian-12)
  down [--purge]        end it; --purge also removes its databases, volumes and servers
  status                health of the services, their logs, addresses, servers (--json for programs)
  openstack ARGS...     the openstack command as user demo (--admin before ARGS: as admin)
  exec -- COMMAND...    run a command in the cloud's network, with OS_CLOUD set
  ssh [USER@]ADDRESS [COMMAND...]   to a floating address, with your own keys; user is debian by default
  logs [SERVICE]        follow the log of a service; without one: where the logs are
  prove [--system S] [--starts N] [--kills N]    as many starts and kills in a row, for a name that is free (default 20 and 5; half an hour)
`;

interface Call {
    name: string;
    rest: string[];
    system?: SystemName;
    flags: Set<string>;
    numbers: { starts: number; kills: number };
}

const attach = (call: Call) => Cloud.attach(call.name);

const commands: Record<string, (call: Call) => Promise<number | undefined>> = {
    async up({ name, system }) {
        const cloud = await Cloud.up({ name, system, onProgress: line => console.error(line) });
        console.log(`clouds.yaml   ${cloud.cloudsYaml} (OS_CLOUD=lab or lab-admin)`);
        console.log(`network       nsenter --net=/run/netns/${cloud.namespace} COMMAND`);
        return undefined;
    },
    async down({ name, flags }) {
        await Cloud.remove(name, { purge: flags.has("purge") });
        return undefined;
    },
    async status(call) {
        const cloud = attach(call);
        const status = await cloud.status();
        // Without Keystone or Nova the servers cannot be listed; the health of these services is shown instead.
        const servers = await cloud
            .json<Record<string, unknown>[]>(["server", "list", "--all-projects"], { admin: true })
            .catch(() => undefined);
        if (call.flags.has("json")) {
            console.log(JSON.stringify({ ...status, servers: servers ?? null }, undefined, 4));
            return undefined;
        }
        console.log(statusLines(status.services).join("\n"));
        console.log(
            `\n${status.system}: APIs at ${status.api} in network namespace ${status.namespace}; ${status.cloudsYaml}`,
        );
        if (!servers) {
            console.log("servers: Nova does not answer");
        }
        for (const server of servers ?? []) {
            console.log(`${server["Name"]}  ${server["Status"]}  ${JSON.stringify(server["Networks"])}`);
        }
        return undefined;
    },
    openstack: async call => spawn(attach(call).openstackArgv(call.rest, { admin: call.flags.has("admin") })),
    async exec(call) {
        const cloud = attach(call);
        return spawn(cloud.enter(call.rest, cloud.environment({ admin: call.flags.has("admin") })));
    },
    async ssh(call) {
        const [target = "", ...command] = call.rest;
        const ssh = ["ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"];
        const quiet = ["-o", "LogLevel=ERROR"];
        return spawn(
            attach(call).enter([...ssh, ...quiet, target.includes("@") ? target : `debian@${target}`, ...command]),
        );
    },
    async prove({ name, system, numbers }) {
        await proveCloud({ name, system, ...numbers, onProgress: line => console.log(line) });
        return undefined;
    },
    async logs(call) {
        const [service] = call.rest;
        if (service) {
            const log = attach(call).logFile(service);
            return existsSync(log) ? spawn(["tail", "-n", "100", "-f", log]) : 1;
        }
        for (const { name, log } of (await attach(call).status()).services) {
            console.log(`${name.padEnd(26)} ${log}`);
        }
        return undefined;
    },
};

function wholeNumber(option: string, text: string): number {
    if (!/^\d{1,4}$/.test(text)) {
        throw new Error(`--${option} ${text}: a whole number is needed`);
    }
    return Number(text);
}

function spawn(argv: string[]): number {
    return spawnSync(argv[0]!, argv.slice(1), { stdio: "inherit" }).status ?? 137;
}

/** Own options come before the words of another program; those words are not parsed. */
export function splitWords(words: readonly string[]): { own: string[]; rest: string[] } {
    const verb = words.findIndex((word, i) => !word.startsWith("-") && words[i - 1] !== "--name");
    if (!["openstack", "exec", "ssh"].includes(words[verb] ?? "")) {
        return { own: [...words], rest: [] };
    }
    let end = verb + 1;
    while (words[end] === "--admin" || words[end] === "--name") {
        end += words[end] === "--name" ? 2 : 1;
    }
    return { own: words.slice(0, end), rest: words.slice(words[end] === "--" ? end + 1 : end) };
}

/** `lab cloud …`; returns the exit code. */
export async function cloudCommand(words: readonly string[]): Promise<number> {
    const { own, rest } = splitWords(words);
    const { values, positionals } = parseArgs({
        args: own,
        allowPositionals: true,
        options: {
            name: { type: "string", default: "cloud" },
            system: { type: "string" },
            purge: { type: "boolean" },
            admin: { type: "boolean" },
            json: { type: "boolean" },
            starts: { type: "string", default: "20" },
            kills: { type: "string", default: "5" },
            help: { type: "boolean", short: "h" },
        },
    });
    const [verb, ...more] = positionals;
    if (values.help || !verb || !commands[verb]) {
        console.log(usage);
        return values.help ? 0 : 2;
    }
    const flags = new Set(Object.entries(values).flatMap(([flag, value]) => (value === true ? [flag] : [])));
    const numbers = { starts: wholeNumber("starts", values.starts), kills: wholeNumber("kills", values.kills) };
    const system = checkSystem(values.system);
    return (await commands[verb]({ name: values.name, system, rest: [...more, ...rest], flags, numbers })) ?? 0;
}
