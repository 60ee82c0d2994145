import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cloud } from "../../lab/openstack";
import { run, until } from "../../lab/process";

/** The beginning of all names of a tenant. */
export const prefix = "cloudtest";

/** What a tenant needs before the first server: keys, a network with a route to the outside, a rule for SSH. */
export class Tenant {
    /** Below /tmp, because the cloud's own client can read files there. */
    readonly folder = mkdtempSync("/tmp/nfv-cloud-test-");

    constructor(readonly cloud: Cloud) {}

    async prepare(): Promise<void> {
        for (const name of ["id", "host"]) {
            await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", this.file(name)]);
        }
        const indented = readFileSync(this.file("host"), "utf8").replace(/^/gm, "    ").trimEnd();
        const lines = [
            "#cloud-config",
            "disable_root: false",
            "ssh_keys:",
            `  ed25519_private: |\n${indented}`,
            `  ed25519_public: ${readFileSync(this.file("host.pub"), "utf8").trim()}`,
        ];
        writeFileSync(this.file("user-data"), `${lines.join("\n")}\n`);
        const commands = [
            ["keypair", "create", "--public-key", this.file("id.pub"), prefix],
            ["network", "create", prefix],
            ["subnet", "create", "--network", prefix, "--subnet-range", "10.77.0.0/24", prefix],
            ["router", "create", prefix],
            ["router", "set", "--external-gateway", this.cloud.publicNetwork, prefix],
            ["router", "add", "subnet", prefix, prefix],
            ["security", "group", "create", prefix],
            ["security", "group", "rule", "create", "--proto", "tcp", "--dst-port", "22", prefix],
        ];
        for (const command of commands) {
            await this.cloud.openstack(command);
        }
    }

    /** Returns the floating address. */
    async server(name: string, ...options: string[]): Promise<string> {
        await this.cloud.openstack(["port", "create", "--network", prefix, "--security-group", prefix, name]);
        const made = await this.cloud.json(["floating", "ip", "create", "--port", name, this.cloud.publicNetwork]);
        await this.cloud.openstack([
            ...["server", "create", "--flavor", "m1.small", "--port", name, "--key-name", prefix],
            ...["--user-data", this.file("user-data"), ...options, "--wait", name],
        ]);
        return String(made["floating_ip_address"]);
    }

    /** As root; accepts only the host key that the user data injected. */
    ssh(address: string, command: string) {
        writeFileSync(this.file("known"), `${address} ${readFileSync(this.file("host.pub"), "utf8")}`);
        const options = [`UserKnownHostsFile=${this.file("known")}`, "StrictHostKeyChecking=yes", "ConnectTimeout=3"];
        const argv = ["ssh", "-i", this.file("id"), ...options.flatMap(option => ["-o", option]), `root@${address}`];
        return run(this.cloud.enter([...argv, command]), { anyExit: true });
    }

    async answers(address: string, command = "true", seconds = 90): Promise<string> {
        let text = "";
        const ok = await until(seconds, async () => {
            const result = await this.ssh(address, command);
            text = result.stdout;
            return result.code === 0;
        });
        assert.ok(ok, `no login at ${address}`);
        return text.trim();
    }

    async remove(): Promise<void> {
        const attempt = (...words: string[]) => this.cloud.openstack(words).catch(() => "");
        await attempt("stack", "delete", "--yes", "--wait", prefix);
        for (const { ID } of await this.cloud.json<{ ID: string }[]>(["server", "list", "--name", prefix])) {
            await attempt("server", "delete", "--wait", ID);
        }
        for (const { ID, Port } of await this.cloud.json<Record<string, string>[]>(["floating", "ip", "list"])) {
            const owner = Port ? await attempt("port", "show", Port, "-f", "value", "-c", "name") : "";
            if (owner.startsWith(prefix)) {
                await attempt("floating", "ip", "delete", ID!);
            }
        }
        await attempt("volume", "delete", `${prefix}-data`);
        await attempt("port", "delete", `${prefix}-1`);
        await attempt("port", "delete", `${prefix}-2`);
        await attempt("router", "remove", "subnet", prefix, prefix);
        for (const what of [["router"], ["network"], ["security", "group"], ["keypair"]]) {
            await attempt(...what, "delete", prefix);
        }
        rmSync(this.folder, { recursive: true, force: true });
    }

    file(name: string): string {
        return join(this.folder, name);
    }
}
