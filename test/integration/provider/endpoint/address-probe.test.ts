import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { addressProbe } from "../../../../provider/endpoint/address-probe";
import { skipIf } from "../../../support/skip";

const vip = "10.77.0.100";
const authority = `sha256:${"0".repeat(64)}`;
/** Network namespaces on one switch, which is in a namespace of its own. */
const hosts: Record<string, string> = { me: "10.77.0.1", m2: "10.77.0.2", other: "10.77.0.3" };
const space = (name: string) => `nfvprobe-${process.pid}-${name}`;
/** Python: prints a line when it listens, then each machine that asks for an address by ARP. */
const askers = `
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
s.bind(("eth0", 0x0806))
print("listening", flush=True)
while True:
    packet = s.recv(2048)
    if packet[20:22] == b"\\x00\\x01":
        print(socket.inet_ntoa(packet[28:32]), flush=True)
`;

describe("the probe for a virtual address that another machine has", () => {
    const ip = (...args: string[]) => execFileSync("ip", args, { encoding: "utf8" });
    const on = (name: string, ...args: string[]) => ip("-n", space(name), ...args);
    const macOf = (name: string) => JSON.parse(on(name, "-j", "link", "show", "eth0"))[0].address as string;
    const probe = (...masters: string[]) => {
        const values = ["eth0", vip, "1.6", "16443", authority, ...masters];
        const began = Date.now();
        const { status, stdout, stderr } = spawnSync(
            "ip",
            ["netns", "exec", space("me"), "python3", "-c", addressProbe, ...values],
            { encoding: "utf8" },
        );
        assert.equal(status, 0, stderr);
        assert.ok(Date.now() - began < 10_000, "in short time, also on a loaded machine");
        return stdout.trim();
    };
    const has = (name: string, ...addresses: string[]) => {
        on(name, "address", "flush", "dev", "eth0");
        for (const address of addresses) on(name, "address", "add", `${address}/24`, "dev", "eth0");
    };

    before(function () {
        skipIf(this, process.getuid?.() !== 0 && "network namespaces need root");
        ip("netns", "add", space("switch"));
        on("switch", "link", "add", "br0", "type", "bridge");
        on("switch", "link", "set", "br0", "up");
        for (const name of Object.keys(hosts)) {
            ip("netns", "add", space(name));
            on("switch", "link", "add", `to-${name}`, "type", "veth", "peer", "name", "eth0", "netns", space(name));
            on("switch", "link", "set", `to-${name}`, "master", "br0", "up");
            on(name, "link", "set", "lo", "up");
            on(name, "link", "set", "eth0", "up");
        }
    });
    beforeEach(() => {
        for (const [name, address] of Object.entries(hosts)) has(name, address);
    });
    after(() => {
        for (const name of ["switch", ...Object.keys(hosts)]) spawnSync("ip", ["netns", "delete", space(name)]);
    });

    it("names the hardware address of a machine that is no master", () => {
        has("other", hosts["other"]!, vip);
        assert.equal(probe(hosts["m2"]!), macOf("other"));
    });

    it("finds none where the address is free", () => assert.equal(probe(hosts["m2"]!), ""));

    it("takes no offence at another master that has it already", () => {
        has("m2", hosts["m2"]!, vip);
        assert.equal(probe(hosts["m2"]!), "");
        assert.equal(probe(), macOf("m2"), "who is a master hangs on what it was told");
    });

    it("asks in its own name: a cloud's port security lets nothing else pass", async () => {
        const heard = spawn("ip", ["netns", "exec", space("other"), "python3", "-c", askers], { stdio: "pipe" });
        const lines = createInterface(heard.stdout)[Symbol.asyncIterator]();
        await lines.next();
        probe(hosts["m2"]!);
        assert.equal((await lines.next()).value, hosts["me"]);
        heard.kill("SIGKILL");
    });

    it("takes no offence at a node that has no address yet", () => {
        has("me");
        assert.equal(probe(hosts["m2"]!), "");
    });

    it("names the other machine also where a master has it, too", () => {
        has("m2", hosts["m2"]!, vip);
        has("other", hosts["other"]!, vip);
        assert.equal(probe(hosts["m2"]!), macOf("other"));
    });
});
