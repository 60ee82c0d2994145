import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Lab } from "../../../../lab";
import type { HostSpec } from "../../../../provider/common/model";
import { configureHaproxy, configureKeepalived } from "../../../../provider/endpoint/configure-load-balancer";
import { guardVirtualAddress } from "../../../../provider/endpoint/guard-virtual-address";
import { installLoadBalancer } from "../../../../provider/endpoint/install-load-balancer";
import { guardConstants } from "../../../../provider/endpoint/vrrp-guard";
import { script } from "../../../../provider/shell/script-file";
import { eventually } from "../../../support/eventually";
import { skipIf } from "../../../support/skip";
import { asStory } from "../../../support/story";
import { vrrpAttack } from "../../../support/vrrp-attack";
import { hostSpec } from "../../../unit/provider/sample-specs";
import { startOperator } from "../steps/operator";

const vip = "10.99.0.100";
const router = 77;
const masterNames = ["m1", "m2"];
const steps = [installLoadBalancer, configureHaproxy, guardVirtualAddress, configureKeepalived];

/** A pod's network as a bridge makes it: the node forwards the pod's packets with unchanged source addresses. */
const podNetwork = (subnet: string) => `set -e
    ip link add cni0 type bridge; ip address add ${subnet}.1/24 dev cni0; ip link set cni0 up
    ip netns add pod; ip link add v0 type veth peer name eth0 netns pod; ip link set v0 master cni0 up
    ip -n pod address add ${subnet}.2/24 dev eth0; ip -n pod link set eth0 up; ip -n pod route add default via ${subnet}.1
    sysctl -q -w net.ipv4.ip_forward=1`;

describe("the virtual address on real nodes, with keepalived", function () {
    this.timeout(600_000);
    asStory(this);
    let lab: Lab;
    let masters: HostSpec["masters"];
    let addresses: string[];

    const bring = async (name: string) => {
        const { address, user, privateKey, hostKey } = lab.node(name);
        const endpoint = { address: vip, prefixLength: 24, interface: "", virtualRouterId: router };
        const role = masterNames.includes(name) ? "controlPlane" : "worker";
        const spec = hostSpec({ name, role, address, masters, endpoint: { host: vip, port: 16443, vip: endpoint } });
        const bodies = steps.map(step => step(spec)).filter(body => body !== undefined);
        const target = { host: address, user, privateKey, hostKey };
        const output = await startOperator({ target, bodies }, lab.enter([])).finished;
        assert.match(output, /exit 0\n$/, output);
    };
    const holder = async () => {
        const found = await Promise.all(
            masterNames.map(async name => ((await lab.ssh(name, `ip -o address show to ${vip}`)).stdout ? [name] : [])),
        );
        return found.flat().join(" and ");
    };
    const changes = async () => {
        const count = "journalctl -u keepalived -o cat | grep -c 'Entering' || true";
        return (await Promise.all(masterNames.map(name => lab.mustSsh(name, count)))).join("");
    };
    /** The address's holder and the VRRP states stay while a node or a pod on it sends adverts. */
    const withstands = async (node: string, netns: string, sources: string[]) => {
        const before = [await holder(), await changes()];
        const targets = [...addresses, vip].join(" ");
        const program = `python3 - ${sources.join(",")} ${router} ${vip} 1 ${targets} <<'END'\n${vrrpAttack}\nEND`;
        const said = await lab.mustSsh(node, `${netns} ${program}`);
        assert.match(said, /^sent \d+ refused \d+$/m);
        assert.doesNotMatch(said, /sent 0 refused 0/);
        assert.deepEqual([await holder(), await changes()], before, `${node} ${netns} as ${sources}: ${said}`);
    };
    const settled = (expected: RegExp) => eventually(60, async () => assert.match(await holder(), expected));

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        await Lab.remove("vrrp");
        lab = await Lab.up({ name: "vrrp", nodes: [...masterNames, "w1"] });
        masters = masterNames.map(name => ({ name, address: lab.node(name).address }));
        addresses = masters.map(({ address }) => address);
        await Promise.all([...masterNames, "w1"].map(bring));
        await Promise.all([lab.mustSsh("w1", podNetwork("10.244.9")), lab.mustSsh("m2", podNetwork("10.244.2"))]);
        await settled(/^m\d$/);
    });
    after(() => lab?.down());

    it("stays where it is whatever a pod sends: on a worker, on a master, with a borrowed source", async () => {
        for (const node of ["w1", "m2"]) await withstands(node, "ip netns exec pod", ["-", ...addresses]);
    });

    it("stays where it is when a pod with the host's network borrows the source of a master", async () => {
        await withstands("w1", "", addresses);
    });

    it("is kept by the masters alone where a worker has lost its rules", async () => {
        await lab.mustSsh("w1", "nft flush ruleset");
        await withstands("w1", "ip netns exec pod", addresses);
        await lab.mustSsh("w1", "systemctl restart nftables.service && nft list table inet pulumi-nfv-vrrp");
    });

    it("moves to the other master when HAProxy ends, and stays there", async () => {
        const first = await holder();
        const other = masterNames.find(name => name !== first)!;
        await lab.mustSsh(first, "systemctl stop haproxy");
        await settled(new RegExp(`^${other}$`));
        await lab.mustSsh(first, "systemctl start haproxy");
        await sleep(3000);
        assert.equal(await holder(), other);
    });

    it("is guarded after a reboot and after nftables.service was started, reloaded and stopped", async () => {
        const look = "nft list table inet pulumi-nfv-vrrp >/dev/null";
        for (const verb of ["restart", "reload", "stop"]) {
            await lab.mustSsh("m1", `systemctl ${verb} nftables.service && ${look}`);
        }
        await lab.reboot("w1");
        await lab.mustSsh("w1", `${look}; systemctl is-active network-pre.target`);
        await withstands("w1", "", addresses);
    });

    it("leaves nothing of the rules behind", async () => {
        const look = "find /etc /usr/lib/systemd -name '*pulumi-nfv*' -not -path '*/ssh*'; nft list tables";
        assert.match(await lab.mustSsh("w1", look), /virtual-address[\s\S]*inet pulumi-nfv-vrrp/);
        const functions = script("endpoint/remove-guard.sh", guardConstants);
        await lab.mustSsh("w1", `set -eu\n${functions}remove_guard; remove_guard; systemctl daemon-reload`);
        assert.equal(await lab.mustSsh("w1", look), "");
    });
});
