import { redact } from "../provider/steps/redact";

/** Forms of secrets that are recognised without knowing the value. The first group stays. */
const forms: RegExp[] = [
    /()-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
    // kubeadm's bootstrap tokens
    /()(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g,
    /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
    // credentials in an address: https://user:password@host
    /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]*:[^\s/@]+@/gi,
    /(\b(?:password|passphrase|token|secret|bearer)\b["']?(?:\s*[:=]\s*|\s+)["']?)(?=[^\s"']*\d)[^\s"',;]{12,}/gi,
];

/** The text without private keys, tokens, credentials in addresses, and the values of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
    return forms.reduce((rest, form) => rest.replace(form, "$1***"), redact(text, secrets));
}
