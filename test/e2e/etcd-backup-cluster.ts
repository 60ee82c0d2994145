import type { SystemName } from "../../lab/images";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

const settings = "/etc/pulumi-nfv/backups/etcd";

/** A snapshot as restic lists it. */
export interface Listed {
    id: string;
    short_id: string;
    time: string;
    tags: string[];
    hostname: string;
}

export const tenMarkers = (prefix: string) => Array.from({ length: 10 }, (_, i) => `${prefix}-${i}`);

/** Prints the last lines of an output that say something of this. */
export function show(output: string, pattern: RegExp): void {
    const lines = output.split("\n").filter(line => pattern.test(line));
    console.log(lines.slice(-25).join("\n"));
}

interface BackedUpShape {
    masters: string[];
    workers: string[];
    /** Further machines. */
    others?: string[];
    /** The cluster begins with the first of them; the machines have images of all. @default the pinned one */
    kubernetes?: readonly string[];
    /** @default the machine's own, with the lab's NFS */
    system?: SystemName;
}

/** A cluster on lab nodes with snapshots of etcd, which the machine `store` keeps. */
export class BackedUpCluster {
    /** Arguments of the cluster; `give` tells them to the program. */
    args: any;
    password = "correct horse 'battery' $staple";
    readonly s3SecretKey = "a-secret-'key'+$HOME";
    readonly folder = "/srv/backup/etcd";

    private constructor(
        readonly fixture: Fixture,
        readonly masters: string[],
    ) {}

    static async open(name: string, { masters, workers, others = [], kubernetes, system }: BackedUpShape) {
        const fixture = await openFixture({
            ...{ name, nodes: [...masters, ...workers, ...others, "store"] },
            ...{ plugins: ["kubernetes"], nfs: system === undefined, kubernetes, system },
        });
        const made = new BackedUpCluster(fixture, masters);
        made.args = clusterArguments(fixture.lab, { masters, workers, kubernetes: kubernetes?.[0] });
        delete made.args.registries;
        const { address, hostKey } = fixture.lab.node("store");
        const sftp = { host: address, user: "root", folder: made.folder, hostKey };
        made.args.etcdBackup = { repository: { sftp }, keep: { last: 5 }, program: "v1" };
        return made;
    }

    async give(more: Record<string, string> = {}): Promise<void> {
        const { privateKey } = this.fixture.lab.node("store");
        await this.fixture.project.setConfig(
            { cluster: JSON.stringify(this.args), ...more },
            { secrets: JSON.stringify({ privateKey, backupPassword: this.password, s3SecretKey: this.s3SecretKey }) },
        );
    }

    /** Writes ten objects that the snapshot "one" has, and then ten that it has not. */
    async writeAroundSnapshot(more: Record<string, string>): Promise<void> {
        for (const name of tenMarkers("kept")) await this.write(name);
        this.args.etcdBackup.run = "one";
        await this.give(more);
        await this.fixture.project.up();
        for (const name of tenMarkers("lost")) await this.write(name);
    }

    /** Output of `pulumi up` and its exit code. */
    async up(...more: string[]): Promise<{ code: number | null; output: string }> {
        return this.fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive", ...more]).done;
    }

    /** The snapshots, the oldest first. */
    async snapshots(by = this.masters[0]!): Promise<Listed[]> {
        const said = await this.fixture.lab.mustSsh(
            by,
            `restic --no-lock --repository-file ${settings}/repository --password-file ${settings}/password -o sftp.command="$(cat ${settings}/sftp-command)" snapshots --json`,
        );
        return JSON.parse(said) as Listed[];
    }

    write(name: string): Promise<void> {
        return eventually(120, async () => {
            try {
                await this.fixture.kubectl("create", "configmap", name, `--from-literal=name=${name}`);
            } catch (error) {
                // an answer may have been lost
                if (!/AlreadyExists/.test(String(error))) throw error;
            }
        });
    }

    /** Names of the ConfigMaps that begin so. */
    async markers(prefix: string): Promise<string[]> {
        const said = await eventually(180, () => this.fixture.kubectl("get", "configmaps", "-o", "name"));
        const names = said.split("\n").map(line => line.replace("configmap/", ""));
        return names.filter(name => name.startsWith(prefix)).sort();
    }
}

export function tag({ tags }: Listed, name: string): string | undefined {
    return tags.find(each => each.startsWith(`${name}@`))?.slice(name.length + 1);
}
