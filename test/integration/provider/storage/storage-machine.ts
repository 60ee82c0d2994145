import assert from "node:assert/strict";
import { join } from "node:path";
import type { Lab } from "../../../../lab";
import { nodeFolder } from "../../../../lab/paths";
import { run } from "../../../../lab/process";
import { quote } from "../../../../provider/ssh";
import type { Connection, SshTarget } from "../../../../provider/ssh/types";
import { type Act, forgetNode, runAct, type StepBody } from "../../../../provider/steps";
import { lookAtDisks, verdictsOf } from "../../../../provider/storage/disks/look-at-disks";
import type { StorageSpec } from "../../../../provider/storage/spec";
import { storageBackupSteps, storageSteps } from "../../../../provider/storage/storage-steps";
import { startOperator } from "../steps/operator";

/** The steps of both of its resources: those of its backups come last, and only where there are some. */
export function bodiesOf(spec: StorageSpec): StepBody[] {
    const ofBackups = Object.keys(spec.backups ?? {}).length > 0 ? storageBackupSteps : [];
    return [...storageSteps, ...ofBackups].flatMap(factory => factory(spec) ?? []);
}

/** A lab node as a storage server: what an operator does with it, and what a test sees there. */
export class StorageMachine {
    constructor(
        readonly lab: Lab,
        readonly node: string,
    ) {}

    /** Path of the node's n-th disk, as a cloud names it. */
    disk(number: number): string {
        const { volumes } = this.lab.status().find(({ name }) => name === this.node)!;
        return `/dev/disk/by-id/virtio-${volumes[number]!.id}`;
    }

    on(command: string): Promise<string> {
        return this.lab.mustSsh(this.node, command);
    }

    get target(): SshTarget {
        const { address, user, privateKey, hostKey } = this.lab.node(this.node);
        return { host: address, user, privateKey, hostKey, keepAliveSeconds: 2, connectTimeoutSeconds: 5 };
    }

    get connection(): Connection {
        return {
            target: this.target,
            exec: (argv: readonly string[], { stdin }: { stdin?: string } = {}) =>
                run([...this.lab.sshArgv(this.node, "root"), quote(argv)], { stdin, anyExit: true }),
        } as unknown as Connection;
    }

    /** The process of an operator that carries out the steps. */
    operator(spec: StorageSpec, change: (body: StepBody) => StepBody = body => body) {
        const bodies = bodiesOf(spec).map(change);
        const of = { clusterId: spec.clusterId, node: spec.name };
        return startOperator({ target: this.target, of, bodies }, this.lab.enter([]));
    }

    async setUp(spec: StorageSpec): Promise<string> {
        const output = await this.operator(spec).finished;
        assert.match(output, /exit 0\n$/, output);
        return output;
    }

    act(act: Act, { clusterId, name: node }: StorageSpec): Promise<string> {
        return runAct(act, { node, clusterId, connection: this.connection, report: () => {} });
    }

    /** The next run carries out all steps again. */
    async forgetJournal(): Promise<void> {
        await this.on("rm -f /var/lib/pulumi-nfv/journal/*");
    }

    forget(): Promise<void> {
        return forgetNode(this.connection);
    }

    async verdicts(spec: StorageSpec) {
        return verdictsOf(spec, await lookAtDisks(this.connection, spec));
    }

    /** Makes the disk larger or smaller, as a cloud does with a volume in use. */
    async resize(number: number, bytes: number): Promise<void> {
        const file = join(nodeFolder(this.lab.name, this.node), `volume-${number}.img`);
        await run(["truncate", "-s", String(bytes), file]);
        const { stdout } = await run(["losetup", "-n", "-O", "NAME", "-j", file]);
        await run(["losetup", "-c", stdout.trim()]);
    }
}
