// Our side as a separate process, so that its start counts as the rivals' start does.
// our-side FILE: { ports, privateKey, hostKey, commands }; prints how many commands gave the expected answer.
import { readFileSync } from "node:fs";
import { Connections } from "../../provider/ssh";

const connections = new Connections();

interface Work {
    ports: number[];
    privateKey: string;
    hostKey: string;
    commands: string[][];
}

async function main(file: string): Promise<void> {
    const { ports, privateKey, hostKey, commands } = JSON.parse(readFileSync(file, "utf8")) as Work;
    const counts = await Promise.all(
        ports.map(async port => {
            const connection = connections.to({
                host: "127.0.0.1",
                port,
                privateKey,
                hostKey,
                connectTimeoutSeconds: 60,
            });
            let right = 0;
            for (const argv of commands) {
                const { code, stdout } = await connection.exec(argv);
                right += code === 0 && stdout === `${argv[1]}\n` ? 1 : 0;
            }
            return right;
        }),
    );
    await connections.close();
    console.log(counts.reduce((sum, count) => sum + count, 0));
}

void main(process.argv[2]);
