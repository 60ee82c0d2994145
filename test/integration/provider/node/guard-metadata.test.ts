import assert from "node:assert/strict";
import { Lab } from "../../../../lab";
import type { HostSpec } from "../../../../provider/common/model";
import { guardMetadata } from "../../../../provider/node/guard-metadata";
import { skipIf } from "../../../support/skip";
import { asStory } from "../../../support/story";
import { hostSpec } from "../../../unit/provider/sample-specs";
import { startOperator } from "../steps/operator";

const service = { ip: "169.254.169.254", ip6: "fe80::a9fe:a9fe" };
const table = "inet pulumi-nfv-metadata";

/** A pod's network as a bridge makes it, with a Service of nobody but the metadata service as kube-proxy translates it. */
const podNetwork = (metadata: string) => `set -e
    ip link add cni0 type bridge; ip address add 10.244.9.1/24 dev cni0; ip link set cni0 up
    ip netns add pod; ip link add v0 type veth peer name eth0 netns pod; ip link set v0 master cni0 up
    ip -n pod address add 10.244.9.2/24 dev eth0; ip -n pod link set eth0 up; ip -n pod route add default via 10.244.9.1
    sysctl -q -w net.ipv4.ip_forward=1
    ip route add ${service.ip} via ${metadata}
    nft -f - <<'END'
table ip kube-proxy {
    chain services { type nat hook prerouting priority dstnat; ip daddr 10.96.0.77 tcp dport 8080 dnat to ${service.ip}:80; }
    chain sources { type nat hook postrouting priority srcnat; ip saddr 10.244.9.0/24 ip daddr != 10.244.0.0/16 masquerade; }
}
END`;

/** The cloud's metadata service, and a name server at the same address. */
const metadataService = `set -e
    SERVER='import socket, sys
s = socket.create_server(("::", int(sys.argv[1])), family=socket.AF_INET6, dualstack_ipv6=True)
while True: s.accept()'
    ip address add ${service.ip}/32 dev lo
    ip -6 address add ${service.ip6}/64 dev eth0 nodad
    for port in 80 53; do systemd-run -q --unit "metadata-$port" python3 -c "$SERVER" $port; done
    for port in 80 53; do until python3 -c "import socket; socket.create_connection(('${service.ip}', $port), 3)" 2>/dev/null; do sleep 0.2; done; done`;

/** What ipvs sends: the source is the pod, the hook is that of the node's own packets. */
const forged = `python3 - <<'END'
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
def sent(source):
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 1, 0, 64, 6, 0, socket.inet_aton(source), socket.inet_aton("${service.ip}"))
    try: s.sendto(head + struct.pack("!HHIIBBHHH", 40000, 80, 1, 0, 0x50, 2, 1024, 0, 0), ("${service.ip}", 0))
    except PermissionError: pass
sent("10.244.9.2")
END`;

describe("the metadata service, for pods of a real node", function () {
    this.timeout(600_000);
    asStory(this);
    let lab: Lab;

    const bring = async (metadataService: HostSpec["metadataService"]) => {
        const { address, user, privateKey, hostKey } = lab.node("w1");
        const body = guardMetadata(hostSpec({ name: "w1", role: "worker", address, metadataService }))!;
        const target = { host: address, user, privateKey, hostKey };
        const output = await startOperator({ target, bodies: [body] }, lab.enter([])).finished;
        assert.match(output, /exit 0\n$/, output);
    };
    const reach = async (where: "pod" | "node", host: string, port = 80) => {
        const netns = where === "pod" ? "ip netns exec pod" : "";
        const program = `import socket; socket.create_connection(("${host}", ${port}), 3)`;
        const { stdout } = await lab.ssh("w1", `${netns} python3 -c '${program}' && echo answers || echo closed`);
        return stdout.trim();
    };
    const ofPod = () => Promise.all([reach("pod", service.ip), reach("pod", "10.96.0.77", 8080)]);

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        await Lab.remove("metadata");
        lab = await Lab.up({ name: "metadata", nodes: ["cloud", "w1"] });
        await lab.mustSsh("cloud", metadataService);
        // for the translation of kube-proxy, which has its own
        await lab.mustSsh("w1", "apt-get -q update && apt-get -q -y install nftables");
        await lab.mustSsh("w1", podNetwork(lab.node("cloud").address));
    });
    after(() => lab?.down());

    it("answers before: directly, and as endpoint of a Service", async () => {
        assert.deepEqual(await ofPod(), ["answers", "answers"]);
    });

    it("is closed to pods at once, by both ways, and not to the node, nor at other ports", async () => {
        await bring("closed");
        assert.deepEqual(await ofPod(), ["closed", "closed"]);
        assert.equal(await reach("pod", service.ip, 53), "answers");
        assert.equal(await reach("node", service.ip), "answers");
        assert.equal(await reach("node", `${service.ip6}%eth0`), "answers");
    });

    it("is closed to what the node itself sends for a pod, as ipvs does", async () => {
        const refused = async () =>
            /counter packets (\d+)/.exec(await lab.mustSsh("w1", `nft list chain ${table} leaving`))?.[1];
        assert.equal(await refused(), "0");
        await lab.mustSsh("w1", forged);
        assert.equal(await refused(), "1");
    });

    it("is closed after a reboot, and after nftables.service was started, reloaded and stopped", async () => {
        for (const verb of ["restart", "reload", "stop"]) {
            await lab.mustSsh("w1", `systemctl ${verb} nftables.service && nft list table ${table} >/dev/null`);
        }
        await lab.reboot("w1");
        await lab.mustSsh("w1", podNetwork(lab.node("cloud").address));
        assert.deepEqual(await ofPod(), ["closed", "closed"]);
        assert.equal(await reach("node", service.ip), "answers");
    });

    it("is open again where the program says so, and nothing is left", async () => {
        await bring("open");
        assert.deepEqual(await ofPod(), ["answers", "answers"]);
        const look = "find /etc -name '*pulumi-nfv*' -not -path '*/ssh*'; nft list tables | grep pulumi-nfv || true";
        assert.equal(await lab.mustSsh("w1", look), "");
    });
});
