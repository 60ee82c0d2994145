import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect as tcpConnect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newKeyPair } from "../../testing";

/** The most sockets on which one sshd listens (MAX_LISTEN_SOCKS). */
const portsOfOne = 16;

/** How to reach each simulated node. */
export interface SshdFleet {
    folder: string;
    ports: number[];
    /** File with the accepted private key. */
    keyFile: string;
    privateKey: string;
    /** Public host key, "ssh-ed25519 AAAA…". */
    hostKey: string;
    /** File for `UserKnownHostsFile`. */
    knownHosts: string;
    stop(): Promise<void>;
}

/** Distributes ports over sshds. */
export function shares(ports: readonly number[], most = portsOfOne): number[][] {
    const count = Math.ceil(ports.length / most);
    return Array.from({ length: count }, (_, i) => ports.filter((_port, index) => index % count === i));
}

/** Settings of one sshd: nothing slows a login down, and no login is refused because of their number. */
export function sshdConfig(ports: readonly number[], folder: string): string {
    return [
        ...ports.map(port => `Port ${port}`),
        "ListenAddress 127.0.0.1",
        `HostKey ${folder}/host-key`,
        `AuthorizedKeysFile ${folder}/authorized_keys`,
        "PidFile none",
        "UsePAM no",
        "UseDNS no",
        "StrictModes no",
        "PermitRootLogin prohibit-password",
        "PasswordAuthentication no",
        "MaxStartups 2000",
        "MaxSessions 200",
        "LogLevel FATAL",
        "",
    ].join("\n");
}

/** A separate /run, and a plain login for root as on a node: the machine's .bashrc would count for every command. */
const insideScript = `
mount -t tmpfs tmpfs /run
mkdir -m 755 /run/sshd
mount --bind "$1/passwd" /etc/passwd
exec /usr/sbin/sshd -D -e -f "$0"`;

/** /etc/passwd with /bin/sh and an empty home for root. */
export function plainRoot(passwd: string, home: string): string {
    return passwd.replace(/^root:.*$/m, `root:x:0:0:root:${home}:/bin/sh`);
}

/**
 * Real sshds on high ports of 127.0.0.1: every port stands for a node. They run in mount namespaces of their own, so the machine's /run and /etc stay
 * unchanged.
 */
export async function startSshds(nodes: number): Promise<SshdFleet> {
    const folder = mkdtempSync(join(tmpdir(), "nfv-bench-ssh-"));
    const inside = (name: string) => join(folder, name);
    const [login, host] = [newKeyPair(), newKeyPair()];
    const ports = await freePorts(nodes);
    writeFileSync(inside("key"), login.private, { mode: 0o600 });
    writeFileSync(inside("host-key"), host.private, { mode: 0o600 });
    writeFileSync(inside("authorized_keys"), `${login.public}\n`);
    writeFileSync(inside("known_hosts"), ports.map(port => `[127.0.0.1]:${port} ${host.public}\n`).join(""));
    writeFileSync(inside("passwd"), plainRoot(readFileSync("/etc/passwd", "utf8"), inside("home")));
    mkdirSync(inside("home"));
    mkdirSync(inside("masters"));
    const processes: ChildProcess[] = [];
    const abandon = () => {
        for (const child of processes) {
            child.kill("SIGKILL");
        }
        rmSync(folder, { recursive: true, force: true });
    };
    process.once("exit", abandon);
    const stop = async () => {
        process.off("exit", abandon);
        await Promise.all(
            processes.map(async child => {
                const ended = child.exitCode ?? new Promise(resolve => child.once("exit", resolve));
                child.kill("SIGTERM");
                await ended;
            }),
        );
        rmSync(folder, { recursive: true, force: true });
    };
    try {
        for (const [index, share] of shares(ports).entries()) {
            const config = inside(`config-${index}`);
            writeFileSync(config, sshdConfig(share, folder));
            const child = spawn("unshare", ["-m", "sh", "-c", insideScript, config, folder], {
                stdio: ["ignore", "ignore", "inherit"],
            });
            processes.push(child);
            await listening(share, child);
        }
    } catch (error) {
        await stop();
        throw error;
    }
    return {
        folder,
        ports,
        keyFile: inside("key"),
        privateKey: login.private,
        hostKey: host.public,
        knownHosts: inside("known_hosts"),
        stop,
    };
}

async function freePorts(count: number): Promise<number[]> {
    const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
    await Promise.all(servers.map(server => new Promise(resolve => server.once("listening", resolve))));
    const ports = servers.map(server => (server.address() as { port: number }).port);
    await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
    return ports;
}

async function listening(ports: number[], child: ChildProcess): Promise<void> {
    for (const port of ports) {
        for (let tries = 0; !(await answers(port)); tries++) {
            if (tries > 100 || child.exitCode !== null) {
                throw new Error(`sshd does not listen on 127.0.0.1:${port}`);
            }
            await sleep(50);
        }
    }
}

function answers(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const socket = tcpConnect(port, "127.0.0.1");
        socket.once("connect", () => resolve(socket.destroy() !== undefined));
        socket.once("error", () => resolve(false));
    });
}
