import assert from "node:assert/strict";
import type { SystemName } from "../../lab/images";
import { eventually } from "../support/eventually";
import { sharedCloud } from "./shared-cloud";
import { prefix, Tenant } from "./tenant";

const first = `${prefix}-1`;
const second = `${prefix}-2`;
const foreign = "10.77.0.200";
const shared = "10.77.0.250";

/** What a port lets through: the rules of its group, its own addresses and those that it is allowed besides. */
export function portSecurity(system: SystemName): void {
    describe(`ports of servers in a cloud of ${system}`, function () {
        this.timeout("10m");
        let tenant: Tenant;
        const at: Record<string, string> = {};

        const fixedAddress = async (name: string) =>
            JSON.stringify((await tenant.cloud.json(["port", "show", name]))["fixed_ips"]).match(/10\.77\.0\.\d+/)![0];
        const allow = (address: string, ...names: string[]) =>
            Promise.all(
                names.map(name =>
                    tenant.cloud.openstack(["port", "set", "--allowed-address", `ip-address=${address}`, name]),
                ),
            );
        const pings = async (from: string, source: string, target: string) =>
            (await tenant.ssh(at[from]!, `ping -c 3 -W 1 -q -I ${source} ${target}`)).code === 0;
        /** Packets with this source that have arrived; the counter is a rule without an action. */
        const arrived = async () => {
            const rules = await tenant.answers(at[second]!, `iptables -nvxL INPUT | grep -F ${foreign}`);
            return Number(rules.trim().split(/\s+/)[0]);
        };

        before(async function () {
            this.timeout("20m");
            tenant = new Tenant(await sharedCloud(system));
            await tenant.prepare();
            const rule = (...words: string[]) =>
                tenant.cloud.openstack(["security", "group", "rule", "create", "-f", "json", ...words, prefix]);
            await rule("--protocol", "icmp");
            await rule("--protocol", "112", "--remote-group", prefix);
            for (const name of [first, second])
                at[name] = await tenant.server(name, "--image", tenant.cloud.images.kubernetes);
            for (const address of Object.values(at)) await tenant.answers(address, "cloud-init status --wait");
            await tenant.answers(at[first]!, `ip address add ${foreign}/24 dev eth0`);
            await tenant.answers(at[second]!, `iptables -A INPUT -s ${foreign}`);
        });
        after(() => tenant?.remove());

        it("let through what a rule allows, and nothing else", async () => {
            const target = await fixedAddress(second);
            assert.ok(await pings(first, await fixedAddress(first), target));
            await tenant.answers(at[second]!, "systemd-run --unit listener nc -lk 9999");
            const connect = `nc -zw 2 ${target}`;
            await tenant.answers(at[first]!, `${connect} 22`);
            assert.notEqual((await tenant.ssh(at[first]!, `${connect} 9999`)).code, 0);
        });

        it("drop what a server sends under a foreign address, until the port is allowed to use it", async () => {
            const target = await fixedAddress(second);
            assert.equal(await pings(first, foreign, target), false);
            assert.equal(await arrived(), 0);
            await allow(foreign, first);
            await eventually(60, async () => assert.ok(await pings(first, foreign, target)));
            assert.ok((await arrived()) > 0);
        });

        it("carry VRRP, and the shared address answers at the other server when its holder has ended", async () => {
            await tenant.cloud.openstack([
                ...["port", "create", "--network", prefix, "--fixed-ip", `ip-address=${shared}`],
                ...["--security-group", prefix, `${prefix}-vip`],
            ]);
            await allow(shared, first, second);
            const { floating_ip_address: floating } = await tenant.cloud.json([
                "floating",
                "ip",
                "create",
                "--port",
                `${prefix}-vip`,
                tenant.cloud.publicNetwork,
            ]);
            for (const [name, priority] of [
                [first, 150],
                [second, 100],
            ] as const) {
                const lines = [
                    "vrrp_instance shared {",
                    `  state BACKUP\n  interface eth0\n  virtual_router_id 7\n  priority ${priority}\n  advert_int 1`,
                    `  virtual_ipaddress {\n    ${shared}/24\n  }\n}`,
                ].join("\n");
                await tenant.answers(
                    at[name]!,
                    `cat >/etc/keepalived/keepalived.conf <<'CONF'\n${lines}\nCONF\nsystemctl enable --now keepalived`,
                );
            }
            const holder = () => tenant.answers(String(floating), "hostname", 60);
            const has = async (name: string) =>
                (await tenant.answers(at[name]!, "ip -o address")).includes(` ${shared}/`);
            await eventually(60, async () => assert.deepEqual([await has(first), await has(second)], [true, false]));
            assert.equal(await holder(), first);
            const began = Date.now();
            await tenant.cloud.openstack(["server", "stop", first]);
            await eventually(60, async () => assert.equal(await holder(), second));
            console.log(
                `      the other server answers ${((Date.now() - began) / 1000).toFixed(1)} s after the order to stop`,
            );
            await tenant.cloud.openstack(["server", "start", first]);
            await eventually(120, async () => assert.equal(await holder(), first));
        });
    });
}
