import { plainText } from "../../provider/common/plain-text";
import { withoutSecrets } from "./redaction";
import { KnownSecrets, secretsIn } from "./secrets";

/** A text for people and reports: without what terminals obey, without known secrets, and without what looks like one. Pure. */
export function cleanText(text: string, known: KnownSecrets): string {
    return withoutSecrets(known.leave(plainText(text)));
}

/** Where only the environment's secrets are known: before the configuration is read, or after what is none of this package broke. Pure. */
export function cleanOf(text: string, env: Parameters<typeof secretsIn>[1]): string {
    return cleanText(text, new KnownSecrets(secretsIn({}, env)));
}

/** A hint for those who run operations by `nfv` or a program: they may have no `pulumi` on the PATH. Pure. */
export function hintHere(hint: string): string {
    return hint
        .replace(/\b([Rr]un) pulumi (?:up|destroy) again/g, "$1 the same command again")
        .replace(/\bpulumi up --refresh\b/g, "nfv up --refresh");
}

export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
