import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImageName } from "./images";
import { labFolder } from "./paths";

export interface Volume {
    sizeBytes: number;
    /** As the node shows it: /dev/disk/by-id/virtio-<id>. */
    id: string;
}

/** What is recorded of a node, so that any process can manage it. */
export interface NodeRecord {
    name: string;
    address: string;
    hostKey: string;
    image: ImageName;
    memoryBytes?: number;
    cpus?: number;
    volumes: Volume[];
}

export interface LabRecord {
    name: string;
    created: string;
    nodes: NodeRecord[];
}

const file = (lab: string) => join(labFolder(lab), "lab.json");

export function readLab(lab: string): LabRecord | undefined {
    return existsSync(file(lab)) ? JSON.parse(readFileSync(file(lab), "utf8")) : undefined;
}

export function writeLab(record: LabRecord): void {
    const draft = `${file(record.name)}.draft`;
    writeFileSync(draft, `${JSON.stringify(record, undefined, 4)}\n`);
    renameSync(draft, file(record.name));
}
