import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cloud } from "../../lab/openstack";
import { ports, url } from "../../lab/openstack/settings";
import { run } from "../../lab/process";
import { eventually } from "../support/eventually";
import { CloudRest, type Kind, listAll } from "./cloud-rest";

const neutron = (place: string) => url(ports.neutron, `/v2.0/${place}`);
const nova = (place: string) => url(ports.nova, `/v2.1/${place}`);

/** The beginning of all names of a tenant. */
export const prefix = "cloudtest";

/** What a tenant needs before the first server: keys, a network with a route to the outside, a rule for SSH. */
export class Tenant {
    /** Below /tmp, because the cloud's own client can read files there. */
    readonly folder = mkdtempSync("/tmp/nfv-cloud-test-");

    private readonly rest: CloudRest;
    private network?: { net: string; group: string };

    constructor(readonly cloud: Cloud) {
        this.rest = new CloudRest(cloud, this.folder);
    }

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
        const publicKey = readFileSync(this.file("id.pub"), "utf8").trim();
        await this.rest.send("POST", nova("os-keypairs"), { keypair: { name: prefix, public_key: publicKey } });
        const net = await this.make("network", { name: prefix });
        const addresses = { name: prefix, network_id: net, ip_version: 4, cidr: "10.77.0.0/24" };
        const subnet = await this.make("subnet", addresses);
        const gateway = { network_id: await this.publicNetwork() };
        const router = await this.make("router", { name: prefix, external_gateway_info: gateway });
        await this.rest.send("PUT", neutron(`routers/${router}/add_router_interface`), { subnet_id: subnet });
        const group = await this.make("security_group", { name: prefix });
        const tcp = { direction: "ingress", ethertype: "IPv4", protocol: "tcp" };
        const rule = { ...tcp, port_range_min: 22, port_range_max: 22, security_group_id: group };
        await this.make("security_group_rule", rule);
        this.network = { net, group };
    }

    /** Makes a resource of Neutron, returns its id. */
    private async make(kind: string, values: object): Promise<string> {
        const made = await this.rest.send<Record<string, { id: string }>>(
            "POST",
            neutron(`${kind.replaceAll("_", "-")}s`),
            {
                [kind]: values,
            },
        );
        return made[kind]!.id;
    }

    private async publicNetwork(): Promise<string> {
        const [{ networks }] = (await this.rest.get<{ networks: { id: string }[] }>([
            neutron(`networks?name=${this.cloud.publicNetwork}`),
        ])) as [{ networks: { id: string }[] }];
        return networks[0]!.id;
    }

    /** Returns the floating address. */
    async server(name: string, ...options: string[]): Promise<string> {
        const { net, group } = this.network!;
        const port = await this.make("port", { name, network_id: net, security_groups: [group] });
        const floating = { floating_network_id: await this.publicNetwork(), port_id: port };
        const made = await this.rest.send<{ floatingip: { floating_ip_address: string } }>(
            ...(["POST", neutron("floatingips"), { floatingip: floating }] as const),
        );
        await this.cloud.openstack([
            ...["server", "create", "--flavor", "m1.small", "--port", port, "--key-name", prefix],
            ...["--user-data", this.file("user-data"), ...options, "--wait", name],
        ]);
        return made.floatingip.floating_ip_address;
    }

    /** As root; accepts only the host key that the user data injected. */
    ssh(address: string, command: string) {
        writeFileSync(this.file("known"), `${address} ${readFileSync(this.file("host.pub"), "utf8")}`);
        const options = [`UserKnownHostsFile=${this.file("known")}`, "StrictHostKeyChecking=yes", "ConnectTimeout=3"];
        const argv = ["ssh", "-i", this.file("id"), ...options.flatMap(option => ["-o", option]), `root@${address}`];
        return run(this.cloud.enter([...argv, command]), { anyExit: true });
    }

    async answers(address: string, command = "true", seconds = 90): Promise<string> {
        return eventually(seconds, async () => {
            const { code, stdout, stderr } = await this.ssh(address, command);
            assert.equal(code, 0, `no login at ${address}: ${stderr}`);
            return stdout.trim();
        });
    }

    async remove(): Promise<void> {
        const ours = await listAll(this.rest, [
            "stacks",
            "servers",
            "volumes",
            "ports",
            "routers",
            "networks",
            "security groups",
        ]);
        const named = (kind: Kind) => ours[kind].filter(({ name }) => name.startsWith(prefix)).map(({ id }) => id);
        const attempt = (...words: string[]) => this.cloud.openstack(words).catch(() => "");
        const away = (place: string) => this.rest.send("DELETE", place).catch(() => undefined);
        for (const _ of named("stacks")) await attempt("stack", "delete", "--yes", "--wait", prefix);
        for (const id of named("servers")) await attempt("server", "delete", "--wait", id);
        for (const id of named("volumes")) await attempt("volume", "delete", id);
        const at = new Set(named("ports"));
        const [{ floatingips = [] } = {}] = await this.rest.get<{ floatingips?: { id: string; port_id: string }[] }>([
            neutron("floatingips"),
        ]);
        for (const { id } of floatingips.filter(each => at.has(each.port_id))) await away(neutron(`floatingips/${id}`));
        for (const id of at) await away(neutron(`ports/${id}`));
        for (const id of named("routers")) await this.removeRouter(id);
        for (const id of named("networks")) await away(neutron(`networks/${id}`));
        for (const id of named("security groups")) await away(neutron(`security-groups/${id}`));
        await away(nova(`os-keypairs/${prefix}`));
        rmSync(this.folder, { recursive: true, force: true });
    }

    private async removeRouter(id: string): Promise<void> {
        const [{ ports: interfaces = [] } = {}] = await this.rest.get<{ ports?: { id: string }[] }>([
            neutron(`ports?device_id=${id}&device_owner=network:router_interface`),
        ]);
        for (const { id: port } of interfaces)
            await this.rest
                .send("PUT", neutron(`routers/${id}/remove_router_interface`), { port_id: port })
                .catch(() => undefined);
        await this.rest.send("DELETE", neutron(`routers/${id}`)).catch(() => undefined);
    }

    file(name: string): string {
        return join(this.folder, name);
    }
}
