import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { byDigest } from "../../provider/common/bundle";
import { type LayerContent, layerMembers } from "./layer";
import { type TarMember, tarBytes } from "./tar";

export interface Image {
    /** Full name with tag: "registry.k8s.io/pause:3.10.1". */
    name: string;
    /** Adds a second name with its digest, by which pods can request it. */
    namedByDigest?: boolean;
    content: LayerContent;
    /** Layers on top, in this order: one that stays the same is not transferred again. */
    above?: LayerContent[];
    entrypoint?: string[];
    command?: string[];
    /** Numbers, as Kubernetes wants them to see that it is not root: "1001:0". @default root */
    user?: string;
    /** @default "/" */
    workingDir?: string;
    /** Besides PATH, or in its place. */
    env?: Record<string, string>;
    labels?: Record<string, string>;
}

/** Fast, and only a few percent larger than the best for Go programs. */
const compression = 5;
export const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const containerdName = "io.containerd.image.name";
const mediaType = (kind: string) => `application/vnd.oci.image.${kind}`;

interface Blob {
    digest: string;
    size: number;
}

/** Writes an image as an OCI archive to `file`; returns its digest. The same content gives the same bytes. */
export async function writeImage(image: Image, file: string): Promise<string> {
    const contents = [image.content, ...(image.above ?? [])];
    const layerFiles = contents.map((_, i) => `${file}.layer${i}`);
    const draft = `${file}.draft`;
    try {
        const layers: Layer[] = [];
        for (const [i, content] of contents.entries())
            layers.push(await writeLayer(await layerMembers(content), layerFiles[i]));
        const config = json({
            architecture: "amd64",
            os: "linux",
            config: {
                User: image.user,
                Env: Object.entries({ PATH: usualPath, ...image.env }).map(([name, value]) => `${name}=${value}`),
                Entrypoint: image.entrypoint,
                Cmd: image.command,
                WorkingDir: image.workingDir ?? "/",
                Labels: image.labels,
            },
            rootfs: { type: "layers", diff_ids: layers.map(layer => layer.uncompressed) },
            history: layers.map(() => ({ created_by: "pulumi-nfv" })),
        });
        const manifest = json({
            schemaVersion: 2,
            mediaType: mediaType("manifest.v1+json"),
            config: { mediaType: mediaType("config.v1+json"), ...describe(config) },
            layers: layers.map(({ digest, size }) => ({ mediaType: mediaType("layer.v1.tar+gzip"), digest, size })),
        });
        const { digest } = describe(manifest);
        const named = (annotations: Record<string, string>) => ({
            mediaType: mediaType("manifest.v1+json"),
            ...describe(manifest),
            platform: { architecture: "amd64", os: "linux" },
            annotations,
        });
        const index = json({
            schemaVersion: 2,
            mediaType: mediaType("index.v1+json"),
            manifests: [
                named({
                    [containerdName]: image.name,
                    "org.opencontainers.image.ref.name": image.name.slice(image.name.lastIndexOf(":") + 1),
                }),
                ...(image.namedByDigest ? [named({ [containerdName]: byDigest(image.name, digest) })] : []),
            ],
        });
        const members: TarMember[] = [
            ...["blobs", "blobs/sha256"].map((name): TarMember => ({ path: name, type: "folder", mode: 0o755 })),
            member("oci-layout", json({ imageLayoutVersion: "1.0.0" })),
            member("index.json", index),
            member(blobPath(describe(manifest)), manifest),
            member(blobPath(describe(config)), config),
            ...layers.map((layer, i) => ({
                ...member(blobPath(layer)),
                source: { path: layerFiles[i], sizeBytes: layer.size },
            })),
        ];
        await pipeline(Readable.from(tarBytes(members)), createWriteStream(draft));
        await rename(draft, file);
        return digest;
    } finally {
        await Promise.all([...layerFiles, draft].map(leftover => rm(leftover, { force: true })));
    }
}

interface Layer extends Blob {
    uncompressed: string;
}

async function writeLayer(members: TarMember[], file: string): Promise<Layer> {
    const [raw, packed] = [hashing(), hashing()];
    await pipeline(
        Readable.from(tarBytes(members)),
        raw.stream,
        createGzip({ level: compression }),
        packed.stream,
        createWriteStream(file),
    );
    return { digest: packed.digest(), size: (await stat(file)).size, uncompressed: raw.digest() };
}

function hashing(): { stream: Transform; digest: () => string } {
    const hash = createHash("sha256");
    const stream = new Transform({
        transform(chunk, _encoding, done) {
            hash.update(chunk);
            done(null, chunk);
        },
    });
    return { stream, digest: () => `sha256:${hash.digest("hex")}` };
}

function describe(blob: Buffer): Blob {
    return { digest: `sha256:${createHash("sha256").update(blob).digest("hex")}`, size: blob.length };
}

function blobPath(blob: Blob): string {
    return `blobs/${blob.digest.replace(":", "/")}`;
}

function member(name: string, content?: Buffer): TarMember {
    return { path: name, type: "file", mode: 0o644, content };
}

function json(value: unknown): Buffer {
    return Buffer.from(JSON.stringify(value));
}
