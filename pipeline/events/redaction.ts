import { plainText } from "../../provider/common/plain-text";
import { redact } from "../../provider/steps/redact";

/** Forms of secrets that are recognised without knowing the value. The first group stays. */
const forms: RegExp[] = [
    /()-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
    // the same in base64, as in a kubeconfig; certificates begin like it, and leave, too
    /()\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]*(?:\s+[A-Za-z0-9+/=]{40,})*/g,
    // kubeadm's bootstrap tokens
    /()(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g,
    /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
    // Keystone's tokens
    /()\bgAAAAA[\w-]{32,}={0,2}/g,
    /(\b(?:authorization|x-auth-token|x-subject-token)["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]{6,}/gi,
    // credentials in an address: https://user:password@host
    /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]*:[^\s/@]+@/gi,
    // OS_PASSWORD=…, client-secret: …, apiKey: …
    /((?:password|passwd|passphrase|token|secret|(?:api|access|secret)[_-]?key)["']?\s*[:=]\s*["']?)(?=[^\s"']*\d)[^\s"',;]{8,}/gi,
    /(\b(?:password|passphrase|token|secret|bearer)\b["']?(?:\s*[:=]\s*|\s+)["']?)(?=[^\s"']*\d)[^\s"',;]{12,}/gi,
];

/** The text without private keys, tokens, credentials in addresses, and the values of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
    return withoutCutKeys(forms.reduce((rest, form) => rest.replace(form, "$1***"), redact(text, secrets)));
}

const keyEnd = /^\s*-----END [A-Z0-9 ]*PRIVATE KEY-----/;

/** A private key whose beginning was cut off: what programs print is often kept by its last lines. */
function withoutCutKeys(text: string): string {
    if (!text.includes("PRIVATE KEY-----")) return text;
    const lines = text.split("\n");
    for (
        let at = lines.findIndex(line => keyEnd.test(line));
        at >= 0;
        at = lines.findIndex(line => keyEnd.test(line))
    ) {
        let first = at;
        while (first > 0 && /^\s*[A-Za-z0-9+/=]+\s*$/.test(lines[first - 1]!)) first--;
        lines.splice(first, at - first + 1, "***");
    }
    return lines.join("\n");
}

/**
 * Events without what is recognised as a secret, in every text, and without what terminals obey. Reports are also made of events that others have written or changed (`nfv report`), and they cut texts:
 * so this comes first.
 */
export function withoutRecognised<T>(value: T): T {
    if (typeof value === "string") return withoutSecrets(plainText(value)) as T;
    if (Array.isArray(value)) return value.map(withoutRecognised) as T;
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutRecognised(each)])) as T;
}
