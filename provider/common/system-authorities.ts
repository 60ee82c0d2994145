import { existsSync, readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";

/**
 * Node has its own list of authorities. The system's list counts too, as for Pulumi's plug-ins: companies install
 * theirs there.
 */
export function systemAuthorities(): string[] {
    return [
        ...rootCertificates,
        ...[process.env.SSL_CERT_FILE ?? "", "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
            .filter(path => path !== "" && existsSync(path))
            .slice(0, 1)
            .map(path => readFileSync(path, "utf8")),
    ];
}
