import { readScript } from "./script-file";

/**
 * Tag for POSIX shell scripts: removes the common indentation. Insert only our own constants; values reach a script
 * through its environment.
 */
export function sh(strings: TemplateStringsArray, ...constants: (string | number)[]): string {
    const texts = made.get(strings) ?? new Map<string, string>();
    made.set(strings, texts);
    const key = constants.join("\0");
    const text = texts.get(key) ?? dedented(strings, constants);
    texts.set(key, text);
    return text;
}

/** Results by place in the source: the same script is built for each machine. */
const made = new WeakMap<TemplateStringsArray, Map<string, string>>();

function dedented(strings: TemplateStringsArray, constants: readonly (string | number)[]): string {
    const text = strings.reduce((all, part, i) => all + constants[i - 1] + part);
    const lines = text.replace(/^\n/, "").trimEnd().split("\n");
    const indents = lines.filter(line => line.trim() !== "").map(line => line.length - line.trimStart().length);
    const indent = Math.min(...indents);
    return lines.map(line => line.slice(indent).trimEnd()).join("\n") + "\n";
}

/** sshd or systemd set any PATH, but a bundle's binaries are in /usr/local/bin. */
export const usualPath = readScript("shell/lib/usual-path.sh").body.trimEnd();
