// The commands of an upgrade by hand on simulated machines, one after another: node-after-node FILE, FILE: { targets: { node: SshTarget }, commands: [node, command][] }
import { readFileSync } from "node:fs";
import { Connections, type SshTarget } from "../../provider/ssh";

interface Work {
    targets: Record<string, SshTarget>;
    commands: [string, string][];
}

async function main(file: string): Promise<void> {
    const { targets, commands } = JSON.parse(readFileSync(file, "utf8")) as Work;
    const connections = new Connections();
    for (const [node, command] of commands) await connections.to(targets[node]!).exec(["by-hand", command]);
    await connections.close();
}

main(process.argv[2]!).then(
    () => process.exit(0),
    error => {
        console.error(error instanceof Error ? error.stack : error);
        process.exit(1);
    },
);
