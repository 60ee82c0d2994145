import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../../lab";
import { nodeFolder } from "../../lab/paths";
import { s3Server } from "../../lab/s3-server";
import { createAuthority } from "../../provider/identity/certificates";
import { serverCertificate } from "./server-certificate";

/** Where a bucket is, and the authority of its server's certificate, as PEM. */
export interface Bucket {
    url: string;
    caCertificate: string;
}

/** An S3 server in the memory of a machine, behind the machine's HAProxy, with a certificate of an authority of the site. The machine is of the image `kubernetes`. */
export async function serveS3(lab: Lab, node: string, bucket: string): Promise<Bucket> {
    const program = await s3Server(console.log);
    const copy = join(nodeFolder(lab.name, node), "root/usr/local/bin/gofakes3");
    copyFileSync(program, copy);
    chmodSync(copy, 0o755);
    const { address } = lab.node(node);
    const authority = await createAuthority("site", 1);
    const server = await serverCertificate(authority, address);
    const configuration = [
        ...["defaults", " mode http", " timeout connect 5s", " timeout client 60s", " timeout server 60s"],
        ...["frontend s3", " bind *:9443 ssl crt /root/s3.pem", " default_backend s3"],
        ...["backend s3", " server s3 127.0.0.1:9000", ""],
    ].join("\n");
    const files = { "/root/s3.pem": `${server.certificate}\n${server.key}`, "/root/s3.cfg": configuration };
    for (const [path, text] of Object.entries(files)) {
        await lab.mustSsh(node, `umask 077; echo ${Buffer.from(text).toString("base64")} | base64 -d >${path}`);
    }
    await lab.mustSsh(
        node,
        `systemd-run -q --unit s3 gofakes3 -backend memory -initialbucket ${bucket} -host 127.0.0.1:9000; haproxy -c -f /root/s3.cfg; systemd-run -q --unit s3-tls haproxy -f /root/s3.cfg`,
    );
    return { url: `https://${address}:9443/${bucket}`, caCertificate: authority.certificate };
}
