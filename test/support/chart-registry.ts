import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../provider/identity/certificates";
import { serverCertificate } from "./server-certificate";

const digestOf = (content: Buffer) => `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** A registry on 127.0.0.1 with one chart, as Helm stores it: a manifest with a configuration and the archive. */
export class ChartRegistry {
    private constructor(
        private readonly server: Server,
        /** File with the certificate of its authority. */
        readonly caFile: string,
    ) {}

    /** @param caFile is written */
    static async start(
        archive: string,
        { name, version }: { name: string; version: string },
        caFile: string,
    ): Promise<ChartRegistry> {
        const authority = await createAuthority("localhost", 1);
        writeFileSync(caFile, authority.certificate);
        const { certificate, key } = await serverCertificate(authority);
        const layer = readFileSync(archive);
        const config = Buffer.from(JSON.stringify({ apiVersion: "v2", name, version }));
        const part = (mediaType: string, content: Buffer) => ({
            mediaType,
            digest: digestOf(content),
            size: content.length,
        });
        const manifest = Buffer.from(
            JSON.stringify({
                schemaVersion: 2,
                mediaType: "application/vnd.oci.image.manifest.v1+json",
                config: part("application/vnd.cncf.helm.config.v1+json", config),
                layers: [part("application/vnd.cncf.helm.chart.content.v1.tar+gzip", layer)],
            }),
        );
        const place = `/v2/charts/${name}`;
        const content: Record<string, Buffer> = {
            [`${place}/manifests/${version}`]: manifest,
            [`${place}/manifests/${digestOf(manifest)}`]: manifest,
            [`${place}/blobs/${digestOf(config)}`]: config,
            [`${place}/blobs/${digestOf(layer)}`]: layer,
        };
        const server = createServer({ cert: certificate, key }, (request, response) => {
            const found = content[request.url!.split("?")[0]!];
            if (found === undefined) return void response.writeHead(404).end();
            const type = found === manifest ? "application/vnd.oci.image.manifest.v1+json" : "application/octet-stream";
            const head = {
                "content-type": type,
                "content-length": found.length,
                "docker-content-digest": digestOf(found),
            };
            response.writeHead(200, head).end(request.method === "HEAD" ? undefined : found);
        });
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        return new ChartRegistry(server, caFile);
    }

    /** "oci://127.0.0.1:12345/charts" */
    get url(): string {
        return `oci://127.0.0.1:${(this.server.address() as AddressInfo).port}/charts`;
    }

    stop(): void {
        this.server.closeAllConnections();
        this.server.close();
    }
}
