import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Fixture } from "./cluster-fixture";

/** What etcd's members were at one moment. */
export interface EtcdMoment {
    /** In milliseconds since 1970. */
    at: number;
    /** Names of the members that vote. */
    voters?: string[];
    /** Those of them where nothing listens. */
    down?: string[];
    /** No member answered with a majority behind it. */
    problem?: string;
}

export interface EtcdWatch {
    /** Moments since the last call. */
    since(): EtcdMoment[];
    stop(): void;
}

/** Watches the members of etcd on these nodes from outside, with the keys of `by`; see etcd-watch-program.ts. */
export async function watchEtcd({ lab, folder }: Fixture, by: string, nodes: readonly string[]): Promise<EtcdWatch> {
    const keys = path.join(folder, "etcd");
    fs.mkdirSync(keys, { mode: 0o700 });
    for (const [name, file] of [
        ["ca.crt", "etcd/ca.crt"],
        ["client.crt", "apiserver-etcd-client.crt"],
        ["client.key", "apiserver-etcd-client.key"],
    ] as const) {
        const text = await lab.mustSsh(by, `sudo cat /etc/kubernetes/pki/${file}`);
        fs.writeFileSync(path.join(keys, name), text, { mode: 0o600 });
    }
    const program = path.join(__dirname, `etcd-watch-program${path.extname(__filename)}`);
    const addresses = nodes.map(name => lab.node(name).address);
    const argv = [process.execPath, "--require", "tsx/cjs", program, keys, ...addresses];
    const [command, ...words] = lab.enter(argv);
    const child = spawn(command!, words, { stdio: ["ignore", "pipe", "inherit"] });
    let rest = "";
    let moments: EtcdMoment[] = [];
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        moments.push(...lines.map(line => JSON.parse(line) as EtcdMoment));
    });
    return {
        since: () => {
            const taken = moments;
            moments = [];
            return taken;
        },
        stop: () => void child.kill(),
    };
}

/** Moments at which so many voters were down that the rest was no majority. */
export function withoutQuorum(moments: readonly EtcdMoment[]): EtcdMoment[] {
    return moments
        .filter(({ voters = [], down = [] }) => voters.length - down.length < Math.floor(voters.length / 2) + 1)
        .filter(({ voters }) => voters !== undefined);
}

/** The numbers of voters that were seen, in order, each change once: [1, 2, 3]. */
export function countsOf(moments: readonly EtcdMoment[]): number[] {
    const counts = moments.flatMap(({ voters }) => (voters === undefined ? [] : [voters.length]));
    return counts.filter((count, i) => count !== counts[i - 1]);
}
