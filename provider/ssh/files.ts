import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path/posix";
import { Transform } from "node:stream";
import { NfvError } from "../common/errors";
import { sshError } from "./failures";
import type { RawOptions, RawResult } from "./run-command";
import type { RemoteScript } from "./scripts";
import {
    argvOf,
    readFileScript,
    transferExitCodes,
    uploadAppendScript,
    uploadBeginScript,
    uploadFinishScript,
    writeFileScript,
} from "./scripts";
import type { FileAttributes, SshTarget, UploadOptions } from "./types";

/** How files.ts runs commands on the machine. */
export interface Runner {
    target: SshTarget;
    run(argv: string[], options?: RawOptions): Promise<RawResult>;
}

/** How many times an upload is attempted when the connection is lost. */
const uploadTries = 4;

export async function writeFile(runner: Runner, path: string, content: string | Buffer, attributes: FileAttributes) {
    const bytes = Buffer.from(content);
    await must(runner, path, writeFileScript, [path, ...attributesOf(attributes), `${bytes.length}`], { stdin: bytes });
}

export async function readFile(runner: Runner, path: string): Promise<Buffer | undefined> {
    const result = await runner.run(argvOf(readFileScript, path));
    if (result.code === transferExitCodes.noSuchFile) {
        return undefined;
    }
    return checked(runner, path, result).stdout;
}

export async function upload(runner: Runner, localPath: string, path: string, options: UploadOptions): Promise<void> {
    const size = (await stat(localPath)).size;
    let restarted = false;
    for (let lostTimes = 0; ; ) {
        try {
            const code = await uploadOnce(runner, localPath, path, size, options);
            if (code === 0) {
                return;
            }
            if (restarted) {
                throw sshError(
                    "TRANSFER_FAILED",
                    runner.target,
                    `received ${path} with another SHA-256 than expected`,
                    {
                        hint: "The local file does not have the sum that its manifest says, or was changed meanwhile.",
                    },
                );
            }
            restarted = true;
        } catch (error) {
            if (!(error instanceof NfvError && error.code === "CONNECTION_LOST") || ++lostTimes >= uploadTries) {
                throw error;
            }
        }
    }
}

/** Returns 0, or the exit code if the partial file was wrong. */
async function uploadOnce(runner: Runner, localPath: string, path: string, size: number, options: UploadOptions) {
    const { sha256, signal } = options;
    const part = `${dirname(path)}/.${basename(path).slice(0, 100)}.${sha256.slice(0, 16)}.part`;
    const begin = [path, part, ...attributesOf(options), `${size}`, sha256];
    const state = (await must(runner, path, uploadBeginScript, begin, { signal })).stdout.toString().trim();
    if (state === "complete") {
        options.onProgress?.(size, size);
        return 0;
    }
    const there = Number(state);
    const offset = there <= size ? there : 0;
    if (offset < size || there > size) {
        let sent = offset;
        const count = new Transform({
            transform(chunk: Buffer, _encoding, done) {
                sent += chunk.length;
                options.onProgress?.(sent, size);
                done(null, chunk);
            },
        });
        const source = createReadStream(localPath, { start: offset, highWaterMark: 256 * 1024 });
        source.on("error", error => count.destroy(error));
        try {
            const stdin = source.pipe(count);
            await must(runner, path, uploadAppendScript, [part, `${offset}`], { stdin, signal });
        } finally {
            source.destroy();
        }
    }
    const finished = await runner.run(argvOf(uploadFinishScript, path, part, `${size}`, sha256), { signal });
    if (finished.code === transferExitCodes.checksumDiffers || finished.code === transferExitCodes.incomplete) {
        return finished.code;
    }
    checked(runner, path, finished);
    return 0;
}

function attributesOf(attributes: FileAttributes): [mode: string, owner: string] {
    return [(attributes.mode ?? 0o644).toString(8).padStart(4, "0"), attributes.owner ?? "root:root"];
}

async function must(runner: Runner, path: string, script: RemoteScript, parameters: string[], options: RawOptions) {
    return checked(runner, path, await runner.run(argvOf(script, ...parameters), options));
}

function checked(runner: Runner, path: string, result: RawResult): RawResult {
    if (result.code !== 0) {
        const said = result.stderr.toString().trim().split("\n").slice(-3).join("\n") || `exit code ${result.code}`;
        throw sshError("TRANSFER_FAILED", runner.target, `could not transfer ${path}: ${said}`);
    }
    return result;
}
