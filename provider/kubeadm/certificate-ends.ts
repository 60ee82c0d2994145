import { X509Certificate } from "node:crypto";
import { isoSeconds, renewalLimit, warningDays } from "../common/expiry";
import type { NodeSpec } from "../common/model";
import { printedFiles } from "./printed-certificates";

/** Certificate → its end, ISO 8601. Of those that `up` renews: no authority, and none that kubelet renews itself. */
export type CertificateEnds = Record<string, string>;

const day = 86_400_000;

/** In days. A validity of a third as long renews in time, too. */
export function renewBeforeDays({ certificates = {} }: Pick<NodeSpec, "certificates">): number {
    const { renewBeforeDays: given, validityDays = 365 } = certificates;
    return given ?? Math.min(warningDays, Math.floor(validityDays / 3));
}

const renewed = [
    /^\/etc\/kubernetes\/pki\/(apiserver(?:-etcd-client|-kubelet-client)?|front-proxy-client|etcd\/(?:server|peer|healthcheck-client))\.crt$/,
    /^\/etc\/kubernetes\/((?:super-)?admin\.conf|(?:controller-manager|scheduler)\.conf)$/,
    /^\/var\/lib\/kubelet\/pki\/(kubelet\.crt)$/,
];

/** The ends of a node's certificates, of what print-certificates.sh printed. */
export function endsOf(text: string): CertificateEnds {
    return Object.fromEntries(
        printedFiles(text).flatMap(({ file, certificates: [pem] }) => {
            const name = renewed.map(each => each.exec(file)?.[1]).find(each => each !== undefined);
            if (name === undefined || pem === undefined) return [];
            return [[name, isoSeconds(Date.parse(new X509Certificate(pem).validTo))]];
        }),
    );
}

/** The certificates that are due, with the reason: "apiserver, etcd/peer end in 41 days (2027-01-06)". Undefined if none is. Pure. */
export function dueCertificates(ends: CertificateEnds, beforeDays: number, now = Date.now()): string | undefined {
    const due = Object.entries(ends).filter(
        ([name, end]) => Date.parse(end) - now < renewalLimit(name, beforeDays) * day,
    );
    if (due.length === 0) return undefined;
    const byDate = new Map<string, string[]>();
    for (const [name, end] of due.sort(([, a], [, b]) => Date.parse(a) - Date.parse(b))) {
        const date = end.slice(0, 10);
        byDate.set(date, [...(byDate.get(date) ?? []), name]);
    }
    return [...byDate]
        .map(([date, names]) => `${names.join(", ")} ${when(names.length, ends[names[0]!]!, date, now)}`)
        .join("; ");
}

function when(count: number, end: string, date: string, now: number): string {
    const days = Math.floor((Date.parse(end) - now) / day);
    const [ends, ended] = count === 1 ? ["ends", "ended"] : ["end", "ended"];
    if (Date.parse(end) < now) return `${ended} on ${date}`;
    return `${ends} in ${days === 1 ? "1 day" : `${days} days`} (${date})`;
}
