import { X509Certificate } from "node:crypto";
import { type CertificateExpiry, earliest, isoSeconds } from "../common/expiry";
import type { Query } from "../steps/query";
import { kubeadmScript } from "./kubeadm-script";
import { printedFiles } from "./printed-certificates";

/** The command that prints the certificates; fake nodes in tests recognise it. */
export const certificatesArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-certificates"];

/**
 * Prints the certificates of a node, never a key: "== FILE" and PEM. Covers what kubeadm and kubelet have there: the
 * API server, its clients, etcd, front proxy, authorities, kubeconfigs, kubelet's own. Changes nothing.
 */
export const certificatesScript = kubeadmScript("kubeadm/print-certificates.sh");

export const certificatesQuery: Query = {
    step: "look at certificates",
    script: certificatesScript,
    argv: certificatesArgv,
    timeoutSeconds: 20,
};

/** kubelet renews these itself, after 70 to 90 % of their lifetime. */
const renewsItself = /\/kubelet-(client|server)-current\.pem$/;
const latestRenewal = 0.9;

/**
 * The certificate of a node that expires first; undefined if the node has none. One that kubelet renews counts only if
 * that is overdue.
 */
export function earliestOfNode(node: string, text: string, now = Date.now()): CertificateExpiry | undefined {
    return earliest(
        printedFiles(text).flatMap(({ file: certificate, certificates }) =>
            certificates.flatMap(pem => {
                const { validFrom, validTo } = new X509Certificate(pem);
                const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
                if (renewsItself.test(certificate) && now < from + (to - from) * latestRenewal) return [];
                return [{ certificate, node, expires: isoSeconds(to) }];
            }),
        ),
    );
}
