import { Lab } from "../../lab";
import { compare, interleave, machine, type Samples } from "../harness";
import { BenchProject } from "../project";
import { type Bench, wholeNumber } from "../types";

const names = {
    export: "large file through the export",
    volume: "the same on the bare volume",
    network: "the same bytes over the bare network",
    syncedExport: "small synced writes through the export",
    syncedVolume: "the same on the bare volume, synced",
    syncedNetwork: "as many requests and answers over the network",
};

const mount = "/mnt/data";
const volume = "/srv/pulumi-nfv/data/bench";
const port = 5201;
/** Bytes of a small write. */
const small = 4096;

/** Takes all that comes; answers each block of a small write with one byte. */
const listener = `import socket
server = socket.create_server(("0.0.0.0", ${port}))
while True:
    peer, _ = server.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    kind, left = peer.recv(1), ${small}
    while data := peer.recv(1 << 20):
        left -= len(data)
        while left <= 0:
            left += ${small}
            if kind == b"s": peer.sendall(b"x")
    if kind == b"l": peer.sendall(b"x")
`;

/** Prints the seconds of ARGS: address, "l" with MiB or "s" with a count. */
const sender = `import socket, sys, time
address, kind, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
peer = socket.create_connection((address, ${port}))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
peer.sendall(kind.encode())
block = bytes(1 << 20 if kind == "l" else ${small})
began = time.monotonic()
for _ in range(count):
    peer.sendall(block)
    if kind == "s": peer.recv(1)
if kind == "l":
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1)
print(time.monotonic() - began)
`;

/** Prints the seconds that the writes take. */
const timed = (command: string) =>
    `sync; s=$(date +%s%N); ${command} 2>/dev/null && e=$(date +%s%N) && echo "$e $s" | awk '{ print ($1 - $2) / 1e9 }'`;

export const storageBench: Bench = {
    about: "writes through an export of a storage server, against its bare volume and the bare network",
    rounds: 5,
    options: {
        mebibytes: { about: "size of the large file", default: "64" },
        writes: { about: "how many small synced writes", default: "200" },
    },
    async run({ rounds, options, say }) {
        const [mebibytes, writes] = [wholeNumber(options, "mebibytes"), wholeNumber(options, "writes")];
        const lab = await Lab.up({
            ...{ name: "benchstore", nodes: ["st1", "w1"], nfs: true, volumes: { st1: [2 ** 30] } },
            report: say,
        });
        try {
            await serve(lab, say);
            const server = lab.node("st1").address;
            const large = (to: string) => timed(`dd if=/dev/zero of=${to}/large bs=1M count=${mebibytes} conv=fsync`);
            const synced = (to: string) =>
                timed(`dd if=/dev/zero of=${to}/small bs=${small} count=${writes} oflag=dsync`);
            const over = (kind: string, count: number) => `python3 /root/sender.py ${server} ${kind} ${count}`;
            const sides: Record<keyof typeof names, [node: string, command: string]> = {
                export: ["w1", large(mount)],
                volume: ["st1", large(volume)],
                network: ["w1", over("l", mebibytes)],
                syncedExport: ["w1", synced(mount)],
                syncedVolume: ["st1", synced(volume)],
                syncedNetwork: ["w1", over("s", writes)],
            };
            const subjects = Object.entries(sides).map(([side, [node, command]]) => ({
                name: names[side as keyof typeof names],
                run: async () => {
                    const taken = Number(await lab.mustSsh(node, command));
                    if (!(taken > 0)) throw new Error(`${node}: "${command}" printed no time`);
                    return taken;
                },
            }));
            const samples = await interleave(subjects, rounds, say);
            return { bench: "storage", how: how({ mebibytes, writes, rounds }), ...results(samples) };
        } finally {
            await lab.down();
        }
    },
};

function how({ mebibytes, writes, rounds }: { mebibytes: number; writes: number; rounds: number }): string[] {
    return [
        `${mebibytes} MiB at once with one fsync, and ${writes} writes of ${small} bytes, each synced; n = ${rounds}; ${machine()}`,
        "Server and client are lab nodes on one machine. Its kernel can neither serve nor mount NFS: ganesha serves, and libnfs mounts through FUSE.",
        "So the ratios say what such an export costs here; the kernel's own server and client cost less.",
    ];
}

function results(samples: Samples) {
    const pairs = [
        [names.export, names.volume],
        [names.export, names.network],
        [names.syncedExport, names.syncedVolume],
        [names.syncedExport, names.syncedNetwork],
    ] as const;
    return { comparisons: pairs.map(([ours, rival]) => compare(samples, { ours, rival })), samples };
}

/** The server as a user makes it, the client's mount, and the far end of the bare network. */
async function serve(lab: Lab, say: (text: string) => void): Promise<void> {
    const project = await BenchProject.make({ program: "storage", enter: argv => lab.enter(argv), say });
    try {
        const { address, hostKey, privateKey } = lab.node("st1");
        const [disk] = lab.status().find(({ name }) => name === "st1")!.volumes;
        project.give({
            name: "store",
            server: { address, ssh: { user: "debian", privateKey, hostKey } },
            volumes: { data: { disk: `/dev/disk/by-id/virtio-${disk!.id}`, fileSystem: "xfs" } },
            exports: { "/exports/data": { volume: "data", clients: [lab.node("w1").address], squash: "none" } },
            nfs3: true,
        });
        await project.up();
        await lab.mustSsh(
            "st1",
            `mkdir -p ${volume}; cat >/root/listener.py <<'END'\n${listener}END\nsystemd-run -q --unit bench-listener python3 /root/listener.py`,
        );
        await lab.mustSsh(
            "w1",
            `apt-get -qq update && apt-get -qq install -y --no-install-recommends nfs-common >/dev/null; cat >/root/sender.py <<'END'\n${sender}END`,
        );
        await lab.mustSsh(
            "w1",
            `mkdir -p ${mount} && mount -t nfs -o nfsvers=3,hard ${address}:/exports/data ${mount}`,
        );
    } finally {
        project.remove();
    }
}
