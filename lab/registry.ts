import {
    createReadStream,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGroup, killGroup } from "./cgroups";
import { startDetached } from "./detached";
import { type Layer, lowerDirs, type Report } from "./layers";
import { gateway } from "./names";
import { labFolder, labNamespace, scripts } from "./paths";
import { run, until } from "./process";

export const registryAddress = `${gateway}:5000`;

/** How nodes pull from the lab's registry. */
export interface Registry {
    /** host:port */
    address: string;
    /** Certificate of the registry's own authority, PEM. */
    ca: string;
}

const folderOf = (lab: string) => join(labFolder(lab), "registry");
const caFile = (lab: string) => join(folderOf(lab), "ca.crt");

export function registryOf(lab: string): Registry | undefined {
    return existsSync(caFile(lab)) ? { address: registryAddress, ca: readFileSync(caFile(lab), "utf8") } : undefined;
}

const config = `version: 0.1
log: { level: warn }
storage:
  filesystem: { rootdirectory: /registry/data }
  delete: { enabled: true }
http:
  addr: ${registryAddress}
  tls: { certificate: /registry/tls.crt, key: /registry/tls.key }
`;

/** Starts Debian's docker-registry in the lab's network, over TLS with an authority of its own. Does nothing if it runs. */
export async function ensureRegistry(lab: string, services: readonly Layer[]): Promise<void> {
    const folder = folderOf(lab);
    if (existsSync(join(folder, "registry.sock")) && (await answers(lab))) {
        return;
    }
    mkdirSync(join(folder, "data"), { recursive: true });
    if (!existsSync(caFile(lab))) {
        await makeCertificates(lab, folder);
    }
    writeFileSync(join(folder, "config.yml"), config);
    rmSync(join(folder, "registry.sock"), { force: true });
    await killGroup(`${lab}/.registry`);
    const groups = createGroup(`${lab}/.registry`);
    const start = (argv: string[]) =>
        startDetached(
            [
                ...[
                    "nsenter",
                    `--net=/run/netns/${labNamespace(lab)}`,
                    "unshare",
                    "--mount",
                    "--propagation",
                    "private",
                ],
                ...[join(scripts, "in-image.sh"), lowerDirs(services), groups.join(" "), `${folder}:/registry`, "--"],
                ...argv,
            ],
            join(folder, "log"),
        );
    start(["docker-registry", "serve", "/registry/config.yml"]);
    // Lets this machine push without entering the lab's network.
    start(["socat", "UNIX-LISTEN:/registry/registry.sock,fork,unlink-early", `TCP:${registryAddress}`]);
    if (!(await until(10, () => answers(lab)))) {
        throw new Error(`the registry did not start:\n${readFileSync(join(folder, "log"), "utf8").slice(-1000)}`);
    }
}

async function makeCertificates(lab: string, folder: string): Promise<void> {
    const openssl = (...words: string[]) => run(["openssl", ...words], { cwd: folder });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"];
    const authority = ["-subj", `/CN=registry of lab ${lab}`, "-addext", "keyUsage=critical,keyCertSign,cRLSign"];
    writeFileSync(join(folder, "san"), `subjectAltName=IP:${gateway}\nextendedKeyUsage=serverAuth\n`);
    await openssl("req", "-x509", ...key, ...authority, "-keyout", "ca.key", "-out", "draft.crt");
    await openssl("req", ...key.slice(0, -2), "-subj", `/CN=${gateway}`, "-keyout", "tls.key", "-out", "tls.csr");
    const sign = ["-CA", "draft.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650", "-extfile", "san"];
    await openssl("x509", "-req", "-in", "tls.csr", ...sign, "-out", "tls.crt");
    await run(["mv", "draft.crt", "ca.crt"], { cwd: folder });
}

async function answers(lab: string): Promise<boolean> {
    return call(lab, "GET", "/v2/").then(
        answer => answer.status === 200,
        () => false,
    );
}

interface Answer {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    body: string;
}

interface Body {
    file?: string;
    text?: string;
    type?: string;
}

function call(lab: string, method: string, path: string, body: Body = {}): Promise<Answer> {
    const length = body.file ? statSync(body.file).size : Buffer.byteLength(body.text ?? "");
    return new Promise((resolve, reject) => {
        const sent = request(
            {
                socketPath: join(folderOf(lab), "registry.sock"),
                host: gateway,
                servername: "",
                ca: readFileSync(caFile(lab)),
                method,
                path,
                headers: {
                    host: registryAddress,
                    "content-length": length,
                    "content-type": body.type ?? "application/octet-stream",
                },
            },
            answer => {
                let text = "";
                answer.on("data", chunk => {
                    text += chunk;
                });
                answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, body: text }));
            },
        );
        sent.on("error", reject);
        if (body.file) {
            createReadStream(body.file).on("error", reject).pipe(sent);
        } else {
            sent.end(body.text ?? "");
        }
    });
}

/** "registry.k8s.io/coredns/coredns:v1.12.1" → where the lab's registry has it, with the paths of a usual mirror. */
export function mirrored(image: string): { repository: string; tag: string } {
    const [first, ...rest] = image.split("/");
    const path = rest.length > 0 && /[.:]/.test(first!) ? rest.join("/") : image;
    const colon = path.lastIndexOf(":");
    return colon > 0
        ? { repository: path.slice(0, colon), tag: path.slice(colon + 1) }
        : { repository: path, tag: "latest" };
}

/** Pushes an OCI archive with one image under its name in a mirror. */
export async function pushArchive(lab: string, archive: string, image: string): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "nfv-push-"));
    try {
        await run(["tar", "-xf", archive, "-C", folder]);
        const { repository, tag } = mirrored(image);
        const blob = (digest: string) => join(folder, "blobs", ...digest.split(":"));
        const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
        const { digest, mediaType } = index.manifests[0];
        const text = readFileSync(blob(digest), "utf8");
        const manifest = JSON.parse(text);
        for (const each of [manifest.config, ...manifest.layers]) {
            await pushBlob(lab, repository, each.digest, blob(each.digest));
        }
        const answer = await call(lab, "PUT", `/v2/${repository}/manifests/${tag}`, { text, type: mediaType });
        check(answer, 201, `manifest of ${image}`);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

async function pushBlob(lab: string, repository: string, digest: string, file: string): Promise<void> {
    if ((await call(lab, "HEAD", `/v2/${repository}/blobs/${digest}`)).status === 200) {
        return;
    }
    const start = check(await call(lab, "POST", `/v2/${repository}/blobs/uploads/`), 202, "upload");
    const location = new URL(String(start.headers["location"]), `https://${registryAddress}`);
    location.searchParams.set("digest", digest);
    check(await call(lab, "PUT", location.pathname + location.search, { file }), 201, digest);
}

function check(answer: Answer, wanted: number, what: string): Answer {
    if (answer.status !== wanted) {
        throw new Error(`registry: ${what}: ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    return answer;
}

/** All images of a bundle. */
export async function pushBundle(lab: string, bundle: string, report: Report): Promise<void> {
    const manifest: { files: { path: string; kind: string; image?: string }[] } = JSON.parse(
        readFileSync(join(bundle, "manifest.json"), "utf8"),
    );
    for (const { path, image } of manifest.files.filter(file => file.kind === "image" && file.image)) {
        report(`push ${image}`);
        await pushArchive(lab, join(bundle, path), image!);
    }
}
