import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { Cloud } from "../../lab/openstack";
import { run, until } from "../../lab/process";
import { packageRoot } from "../../tools/settings";
import { versions } from "../../tools/versions";
import { compare, interleave, machine } from "../harness";
import { BenchProject } from "../project";
import type { Bench } from "../types";

const names = { ours: "pulumi up --refresh", rival: "by hand: server, volume, mount, export" };
const [server, spare, flavor] = ["core-storage", "byhand-storage", "m1.small"];

export const healBench: Bench = {
    about: "a lost storage server of the lab's cloud until it serves again: against a person who knows each command",
    rounds: 3,
    options: {},
    async run({ rounds, say }) {
        const ours = Cloud.find() === undefined;
        const cloud = await Cloud.up({ onProgress: say });
        const folder = mkdtempSync("/tmp/nfv-bench-heal-");
        try {
            const load = machine();
            const subject = await StorageOnCloud.make(cloud, folder, say);
            try {
                const subjects = [
                    { name: names.ours, run: () => subject.heal() },
                    { name: names.rival, run: () => subject.healByHand() },
                ];
                const samples = await interleave(subjects, rounds, say);
                return {
                    bench: "heal",
                    how: [
                        `1 + 1 with Nova, one volume of 1 GiB (xfs), n = ${rounds}; ${load}`,
                        "The server was deleted, and nothing else. Both sides make one with the same flavor, image and port, install the NFS server, and end when the export can be mounted.",
                        "Ours is the whole run: it also looks at every other resource and node of the cluster. By hand is a script that knows all ids, and looks at nothing.",
                    ],
                    comparisons: [compare(samples, { ours: names.ours, rival: names.rival })],
                    samples,
                };
            } finally {
                say("destroy …");
                await subject.remove();
            }
        } finally {
            rmSync(folder, { recursive: true, force: true });
            if (ours && !process.env["PULUMI_NFV_KEEP_CLOUD"]) await cloud.down();
        }
    },
};

interface Found {
    port: string;
    volume: string;
    floatingIp: string;
}

/** A cluster with a storage server, which is lost before each measurement. */
class StorageOnCloud {
    private constructor(
        private readonly cloud: Cloud,
        private readonly folder: string,
        private readonly project: BenchProject,
        private readonly found: Found,
    ) {}

    static async make(cloud: Cloud, folder: string, say: (text: string) => void): Promise<StorageOnCloud> {
        await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, "id")]);
        const key = readFileSync(join(folder, "id.pub"), "utf8").trim();
        writeFileSync(
            join(folder, "user-data"),
            `#cloud-config\ndisable_root: false\nssh_authorized_keys: ["${key}"]\n`,
        );
        const project = await BenchProject.make({
            program: "cluster",
            plugins: ["kubernetes", "openstack"],
            env: { OS_CLIENT_CONFIG_FILE: cloud.cloudsYaml, OS_CLOUD: "lab" },
            enter: argv => cloud.enter(argv),
            say,
        });
        const image = cloud.images.kubernetes;
        project.give({
            infrastructure: { nova: { image, flavor: "m1.medium", externalNetwork: cloud.publicNetwork } },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: 1 } },
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
            storage: {
                server: { flavor },
                volumes: { data: { sizeGiB: 1, fileSystem: "xfs" } },
                exports: { "/exports/data": { volume: "data" } },
                nfs3: true,
            },
        });
        await project.up();
        const [{ ID: port }] = await cloud.json<[{ ID: string }]>(["port", "list", "--name", server]);
        const { id: volume } = await cloud.json<{ id: string }>(["volume", "show", `${server}-data`]);
        const [{ "Floating IP Address": floatingIp }] = await cloud.json<[{ "Floating IP Address": string }]>([
            ...["floating", "ip", "list", "--port", port],
        ]);
        return new StorageOnCloud(cloud, folder, project, { port, volume, floatingIp });
    }

    async heal(): Promise<number> {
        await this.lose();
        return timed(() => this.project.up("--refresh"));
    }

    async healByHand(): Promise<number> {
        await this.lose();
        const { port, volume, floatingIp } = this.found;
        return timed(async () => {
            await this.cloud.openstack([
                ...["server", "create", "--flavor", flavor, "--image", this.cloud.images.kubernetes, "--port", port],
                ...["--user-data", join(this.folder, "user-data"), "--wait", spare],
            ]);
            await this.cloud.openstack(["server", "add", "volume", spare, volume]);
            const script = readFileSync(join(packageRoot(), "bench/rivals/serve-volume.sh"), "utf8");
            const options = [
                "StrictHostKeyChecking=no",
                "UserKnownHostsFile=/dev/null",
                "LogLevel=ERROR",
                "ConnectTimeout=2",
            ];
            const login = ["ssh", "-i", join(this.folder, "id"), ...options.flatMap(each => ["-o", each])];
            const argv = this.cloud.enter([
                ...login,
                `root@${floatingIp}`,
                `sh -s /dev/disk/by-id/virtio-${volume.slice(0, 20)}`,
            ]);
            let said = "";
            const done = await until(180, async () => {
                const { code, stderr } = await run(argv, { stdin: script, anyExit: true });
                said = stderr;
                // 255: no login yet
                if (code !== 0 && code !== 255) throw new Error(`serve-volume.sh ended with ${code}: ${stderr}`);
                return code === 0;
            });
            if (!done) throw new Error(`no login at ${floatingIp}: ${said}`);
        });
    }

    async remove(): Promise<void> {
        await this.lose();
        await this.project.run("destroy", "--yes", "--skip-preview", "--non-interactive", "--refresh");
        await this.cloud.openstack(["volume", "delete", this.found.volume]);
        this.project.remove();
    }

    /** Whichever server has the volume by now. */
    private async lose(): Promise<void> {
        const servers = await this.cloud.json<{ Name: string }[]>(["server", "list"]);
        for (const name of [server, spare])
            if (servers.some(({ Name }) => Name === name))
                await this.cloud.openstack(["server", "delete", "--wait", name]);
    }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1000;
}
