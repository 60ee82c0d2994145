import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { eventually } from "../e2e/cluster-fixture";
import { podOn } from "./pod-on";
import { sharedClaim } from "./shared-claim";

/** Appends a number each 100 ms; prints what was acknowledged. */
const write = "i=0; while :; do i=$((i+1)); echo $i >>/data/log && sync /data/log && echo $i; sleep 0.1; done";

/** A pod that writes to the claim `shared` all the time, while a story changes its storage server. */
export class WritingPod {
    private folder?: string;

    constructor(
        private readonly kubectl: (...args: string[]) => Promise<string>,
        private readonly node: string,
    ) {}

    async begin(): Promise<void> {
        await this.apply(sharedClaim);
        await this.apply(podOn("writer", this.node, write));
        await this.goesOn(0);
    }

    async apply(object: object): Promise<void> {
        this.folder ??= fs.mkdtempSync(path.join(os.tmpdir(), "nfv-writer-"));
        const file = path.join(this.folder, "object.json");
        fs.writeFileSync(file, JSON.stringify(object));
        await this.kubectl("apply", "-f", file);
    }

    /** The last number. */
    async acknowledged(): Promise<number> {
        return Number((await this.kubectl("logs", "writer", "--tail", "1")).trim());
    }

    async goesOn(from: number): Promise<void> {
        await eventually(180, async () =>
            assert.ok((await this.acknowledged()) > from + 10, "the pod writes on by itself"),
        );
    }

    exec(command: string): Promise<string> {
        return this.kubectl("exec", "writer", "--", "sh", "-c", command);
    }

    /** Size of the volume as the pod sees it. */
    async bytes(): Promise<number> {
        const size = await this.exec("df -P -k /data");
        return Number(size.trim().split("\n")[1]!.split(/\s+/)[1]) * 1024;
    }

    /** Nothing that was acknowledged may be missing, and no write may have failed: then the pod would have said more than numbers. */
    async lostNothing(): Promise<void> {
        const said = (await this.kubectl("logs", "writer")).trim().split("\n");
        assert.deepEqual(
            said.filter(line => !/^\d+$/.test(line)),
            [],
        );
        const written = new Set((await this.exec("cat /data/log")).split("\n"));
        assert.deepEqual(
            said.filter(number => !written.has(number)),
            [],
        );
    }

    /** What a pod of its own says that reads the volume. */
    async read(command: string): Promise<string> {
        await this.apply(sharedClaim);
        await this.apply(podOn("reader", this.node, command));
        const phase = () => this.kubectl("get", "pod", "reader", "-o", "jsonpath={.status.phase}");
        await eventually(120, async () => assert.equal(await phase(), "Succeeded"));
        return (await this.kubectl("logs", "reader")).trim();
    }

    close(): void {
        if (this.folder !== undefined) fs.rmSync(this.folder, { recursive: true, force: true });
    }
}
