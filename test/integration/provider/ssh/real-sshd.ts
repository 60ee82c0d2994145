import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect as tcpConnect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SshTarget } from "../../../../provider/ssh";
import { newKeyPair } from "../../../../testing";
import { killProcess } from "../../../support/kill-tree";

const program = process.env.PULUMI_NFV_SSHD ?? "/usr/sbin/sshd";
export const ordinaryUser = "nfv-test";

/** Why a real sshd cannot be started here; undefined: it can. */
export function whyNoSshd(): string | undefined {
    return [
        { when: !existsSync(program), why: `${program} is not there (package openssh-server)` },
        { when: process.getuid?.() !== 0, why: "only root can start it for all users" },
        { when: spawnSync("unshare", ["-m", "true"]).status !== 0, why: "mount namespaces are not allowed here" },
    ].find(row => row.when)?.why;
}

/**
 * Debian's own sshd on a free port of 127.0.0.1. It runs in its own mount namespace with another /run, and with an /etc/passwd that has
 * one more user (who may use sudo): nothing on the machine changes.
 */
export class RealSshd {
    readonly folder = mkdtempSync(join(tmpdir(), "nfv-sshd-"));
    readonly hostKeys: string[] = [];
    private process!: ChildProcess;
    private target!: SshTarget;

    /** `settings`: further lines of sshd_config. `shell`: that of the ordinary user. */
    static async start(settings: readonly string[] = [], shell = "/bin/sh"): Promise<RealSshd> {
        const sshd = new RealSshd(settings, shell);
        await sshd.launch();
        return sshd;
    }

    private constructor(
        private readonly settings: readonly string[],
        private readonly shell: string,
    ) {}

    targetOf(user: string): SshTarget {
        return { ...this.target, user };
    }

    /** Kills the processes that serve connections, like a crash; the listener goes on. */
    cut(): number {
        const pids = this.children(this.process.pid!);
        for (const pid of pids) killProcess(pid);
        return pids.length;
    }

    async stop(): Promise<void> {
        this.cut();
        const ended = new Promise(resolve => this.process.once("exit", resolve));
        this.process.kill("SIGTERM");
        await ended;
        rmSync(this.folder, { recursive: true, force: true });
    }

    private children(pid: number): number[] {
        const file = `/proc/${pid}/task/${pid}/children`;
        // A process that has ended meanwhile has no children.
        const text = existsSync(file) ? readFileSync(file, "utf8") : "";
        const direct = text.trim().split(" ").filter(Boolean).map(Number);
        // Parents first: otherwise sshd would report how its command ended.
        return direct.flatMap(child => [child, ...this.children(child)]);
    }

    private async launch(): Promise<void> {
        const port = await freePort();
        const inside = (name: string) => join(this.folder, name);
        chmodSync(this.folder, 0o755); // the other user reads authorized_keys here
        const login = newKeyPair();
        writeFileSync(inside("authorized_keys"), `${login.public}\n`);
        for (const type of ["ed25519", "rsa"] as const) {
            const key = newKeyPair(type);
            writeFileSync(inside(type), key.private, { mode: 0o600 });
            this.hostKeys.push(key.public);
        }
        const config = {
            Port: port,
            ListenAddress: "127.0.0.1",
            PidFile: "none",
            UsePAM: "no",
            StrictModes: "no",
            PermitRootLogin: "prohibit-password",
            AuthorizedKeysFile: inside("authorized_keys"),
        };
        const lines = Object.entries(config).map(([name, value]) => `${name} ${value}`);
        writeFileSync(
            inside("config"),
            [...lines, ...this.settings, `HostKey ${inside("ed25519")}`, `HostKey ${inside("rsa")}`, ""].join("\n"),
        );
        const more: Record<string, string> = {
            passwd: `sshd:x:64001:65534::/run/sshd:/usr/sbin/nologin\n${ordinaryUser}:x:64002:64002::${this.folder}:${this.shell}\n`,
            group: `${ordinaryUser}:x:64002:\n`,
            shadow: `${ordinaryUser}:*:19000:0:99999:7:::\n`,
            sudoers: `${ordinaryUser} ALL=(ALL) NOPASSWD: ALL\n`,
        };
        const mounts = Object.entries(more)
            .filter(([name]) => existsSync(`/etc/${name}`))
            .map(([name, text]) => {
                const known = readFileSync(`/etc/${name}`, "utf8");
                const users = known.split("\n").map(line => line.split(":")[0]);
                const added = text.split("\n").filter(line => line !== "" && !users.includes(line.split(":")[0]));
                writeFileSync(inside(name), `${known.trimEnd()}\n${added.join("\n")}\n`);
                chmodSync(inside(name), name === "sudoers" ? 0o440 : 0o644);
                return `mount --bind ${inside(name)} /etc/${name}`;
            });
        mkdirSync(inside("run"));
        const script = [
            ...mounts,
            "mount -t tmpfs tmpfs /run",
            "mkdir -m 755 /run/sshd",
            'exec "$0" -D -e -f "$1"',
        ].join(" && ");
        this.process = spawn("unshare", ["-m", "sh", "-c", script, program, inside("config")], {
            stdio: ["ignore", "ignore", "pipe"],
        });
        let log = "";
        this.process.stderr?.on("data", chunk => {
            log += chunk;
        });
        this.target = { host: "127.0.0.1", port, privateKey: login.private, hostKey: this.hostKeys[0] };
        for (let i = 0; !(await listens(port)); i++) {
            if (i > 100 || this.process.exitCode !== null) {
                throw new Error(`sshd does not listen: ${log}`);
            }
            await sleep(50);
        }
    }
}

async function freePort(): Promise<number> {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise(resolve => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    await new Promise(resolve => server.close(resolve));
    return port;
}

function listens(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const socket = tcpConnect(port, "127.0.0.1");
        socket.once("connect", () => resolve(socket.destroy() !== undefined));
        socket.once("error", () => resolve(false));
    });
}
