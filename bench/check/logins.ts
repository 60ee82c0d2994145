// Logs in to machines and runs `true` there, as a shell loop does: logins FILE together|loop, FILE: SshTarget[]
import { readFileSync } from "node:fs";
import { Connections, type SshTarget } from "../../provider/ssh";

async function main(file: string, how: string): Promise<void> {
    const targets = JSON.parse(readFileSync(file, "utf8")) as SshTarget[];
    const connections = new Connections();
    const login = (target: SshTarget) => connections.to(target).exec(["true"]);
    if (how === "together") await Promise.all(targets.map(login));
    else for (const target of targets) await login(target);
    await connections.close();
}

main(process.argv[2]!, process.argv[3]!).then(
    () => process.exit(0),
    error => {
        console.error(error instanceof Error ? error.stack : error);
        process.exit(1);
    },
);
