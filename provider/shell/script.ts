/**
 * Tag of POSIX shell scripts: takes the common indentation away. Only constants of ours may be spliced in; values reach a script by
 * its environment.
 */
export function sh(strings: TemplateStringsArray, ...constants: (string | number)[]): string {
    const texts = made.get(strings) ?? new Map<string, string>();
    made.set(strings, texts);
    const key = constants.join("\0");
    const text = texts.get(key) ?? dedented(strings, constants);
    texts.set(key, text);
    return text;
}

/** Scripts by their place in the source: asked for again for each machine. */
const made = new WeakMap<TemplateStringsArray, Map<string, string>>();

function dedented(strings: TemplateStringsArray, constants: readonly (string | number)[]): string {
    const text = strings.reduce((all, part, i) => all + constants[i - 1] + part);
    const lines = text.replace(/^\n/, "").trimEnd().split("\n");
    const indents = lines.filter(line => line.trim() !== "").map(line => line.length - line.trimStart().length);
    const indent = Math.min(...indents);
    return lines.map(line => line.slice(indent).trimEnd()).join("\n") + "\n";
}

/** Steps run with whatever PATH sshd or systemd gives: binaries of a bundle are in /usr/local/bin. */
export const usualPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH";
