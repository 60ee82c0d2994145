import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NfvError } from "../../../../provider/common/errors";
import { stateFolder } from "../../../../provider/shell/folders";
import type {
    CommandResult,
    Connection,
    FileAttributes,
    RunOptions,
    UploadOptions,
} from "../../../../provider/ssh/types";

/** A "node" that is a local folder: the real agent runs in it as a child process. */
export class LocalConnection implements Connection {
    readonly target = { host: "local" };
    readonly calls: string[][] = [];
    /** Set while the network is "cut": running and new calls fail. */
    private cutCalls?: Set<() => void>;
    private readonly underWay = new Set<() => void>();

    constructor(readonly root: string) {}

    private path(path: string): string {
        return path.startsWith(stateFolder) ? join(this.root, "state", path.slice(stateFolder.length)) : path;
    }

    cut(): void {
        this.cutCalls = new Set(this.underWay);
        for (const end of this.cutCalls) end();
    }

    restore(): void {
        this.cutCalls = undefined;
    }

    recordHostKey(): void {}

    exec(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
        this.calls.push([...argv]);
        return new Promise((resolve, reject) => {
            if (this.cutCalls) return reject(new NfvError({ code: "CONNECT_FAILED", cause: "cut" }));
            const env = {
                ...process.env,
                NFV_STATE_DIR: join(this.root, "state"),
                NFV_RUN_DIR: join(this.root, "run"),
            };
            const child = spawn(
                this.path(argv[0]),
                argv.slice(1).map(arg => this.path(arg)),
                { env },
            );
            let stdout = "";
            let stderr = "";
            const lose = () => {
                child.stdout.destroy();
                child.stderr.destroy();
                reject(new NfvError({ code: "CONNECTION_LOST", cause: "cut" }));
            };
            // like a closed channel: the program's standard input ends
            const abort = () => {
                child.stdin.destroy();
                child.stdout.destroy();
                child.stderr.destroy();
                reject(options.signal?.reason);
            };
            options.signal?.addEventListener("abort", abort, { once: true });
            this.underWay.add(lose);
            child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
                stdout += chunk;
                options.onOutput?.(chunk, "stdout");
            });
            child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
                stderr += chunk;
            });
            child.on("error", () => resolve({ code: 127, stdout, stderr }));
            child.on("close", code => {
                this.underWay.delete(lose);
                resolve({ code: code ?? 128, stdout, stderr });
            });
            child.stdin.on("error", () => {});
            if (options.keepStdinOpen) child.stdin.write(options.stdin ?? "");
            else child.stdin.end(options.stdin);
        });
    }

    async writeFile(path: string, content: string | Buffer, { mode = 0o644 }: FileAttributes = {}): Promise<void> {
        if (this.cutCalls) throw new NfvError({ code: "CONNECT_FAILED", cause: "cut" });
        const target = this.path(path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(`${target}.new`, content, { mode });
        chmodSync(`${target}.new`, mode);
        renameSync(`${target}.new`, target);
    }

    async upload(localPath: string, path: string, { mode = 0o644, onProgress }: UploadOptions): Promise<void> {
        copyFileSync(localPath, path);
        chmodSync(path, mode);
        onProgress?.(1, 2);
        onProgress?.(2, 2);
    }

    async readFile(path: string): Promise<Buffer | undefined> {
        return existsSync(this.path(path)) ? readFileSync(this.path(path)) : undefined;
    }

    async close(): Promise<void> {}
}
