import type { Snapshot } from "../../../../provider/openstack/cinder";
import { type Answer, type Call, type FakeCloud, notFound } from "../openstack/fake-cloud";

/** Cinder's snapshots in a fake cloud. */
export class SnapshotCloud {
    readonly all: Snapshot[] = [];
    /** Statuses that a new snapshot has, one after another. */
    statuses = ["creating", "available"];
    /** Answers in the place of making or deleting one. */
    refuses: { post?: Answer; delete?: Answer; list?: Answer } = {};
    /** Id of a volume of which none can be made. */
    fullVolume?: string;
    /** From the second list on. */
    refusesSecondList?: Answer;
    private lists = 0;

    constructor(private readonly cloud: FakeCloud) {
        Object.assign(cloud.routes, {
            "GET /block-storage/snapshots/detail": () => this.list(),
            "POST /block-storage/snapshots": (call: Call) => this.make(call),
        });
    }

    /** Of others, or of former runs. */
    has(id: string, more: Partial<Snapshot> & Pick<Snapshot, "metadata" | "created_at">): void {
        this.add({ id, name: id, status: "available", size: 5, volume_id: "v1", ...more });
    }

    ids(): string[] {
        return this.all.map(({ id }) => id);
    }

    private add(snapshot: Snapshot, statuses: string[] = [snapshot.status]): void {
        this.all.push(snapshot);
        const path = `/block-storage/snapshots/${snapshot.id}`;
        let asked = 0;
        this.cloud.routes[`GET ${path}`] = () => {
            if (!this.all.includes(snapshot)) return notFound("block-storage");
            snapshot.status = statuses[Math.min(asked++, statuses.length - 1)]!;
            return { body: { snapshot } };
        };
        this.cloud.routes[`DELETE ${path}`] = () => {
            if (this.refuses.delete !== undefined) return this.refuses.delete;
            this.all.splice(this.all.indexOf(snapshot), 1);
            return { status: 202 };
        };
    }

    private list(): Answer {
        const refused = this.lists++ > 0 ? (this.refusesSecondList ?? this.refuses.list) : this.refuses.list;
        return refused ?? { body: { snapshots: this.all } };
    }

    private make({ body, headers }: Call): Answer {
        if (this.refuses.post !== undefined) return this.refuses.post;
        const { volume_id, name, metadata, force } = body.snapshot;
        if (volume_id === this.fullVolume) return { status: 413 };
        // As Cinder for a volume in use; from 3.66 on it refuses the word.
        if (force !== true || headers["openstack-api-version"] !== undefined) return { status: 400 };
        const number = this.all.length + 1;
        const created_at = `2026-02-01T00:00:${String(number).padStart(2, "0")}.000000`;
        const snapshot = { id: `new-${number}`, name, status: "creating", size: 5, volume_id, created_at, metadata };
        this.add(snapshot, this.statuses);
        return { status: 202, body: { snapshot } };
    }
}
