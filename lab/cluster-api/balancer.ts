import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import type { Lab } from "../lab";
import { run } from "../process";

export interface Balancer {
    /** Addresses where it listens, each with the control-plane nodes behind it. */
    set(fronts: Record<string, string[]>): Promise<void>;
    stop(): void;
}

/** A load balancer in the lab's network: see balancer-program.ts. It ends with this process. */
export function startBalancer(lab: Lab): Balancer {
    const program = join(__dirname, `balancer-program${extname(__filename)}`);
    const command = lab.enter([process.execPath, "--require", "tsx/cjs", program]);
    const argv = ["setpriv", "--pdeathsig", "KILL", "--", ...command];
    const child = spawn(argv[0]!, argv.slice(1), { stdio: ["pipe", "ignore", "inherit"] });
    child.stdin.on("error", () => {});
    const ip = (...words: string[]) => run(["ip", "-n", lab.namespace, ...words], { anyExit: true });
    let said = "";
    let addresses: string[] = [];
    return {
        set: async fronts => {
            const line = JSON.stringify(fronts);
            if (line === said) return;
            for (const gone of addresses.filter(each => !(each in fronts))) {
                await ip("addr", "del", `${gone}/32`, "dev", "br0");
            }
            addresses = Object.keys(fronts);
            for (const address of addresses) await ip("addr", "replace", `${address}/32`, "dev", "br0");
            child.stdin.write(`${line}\n`);
            said = line;
        },
        stop: () => void child.kill("SIGKILL"),
    };
}
