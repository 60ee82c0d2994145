const plain = /^[A-Za-z0-9_@%+:,./-]+$/;

/** One word for a POSIX shell, quoted only if necessary. The shell passes its content on unchanged. */
function plainOrQuoted(word: string): string {
    return plain.test(word) ? word : quoteWord(word);
}

/** One word for a POSIX shell, always in quotes. */
export function quoteWord(word: string): string {
    return `'${word.replace(/'/g, "'\\''")}'`;
}

/** The command line with which a POSIX shell runs exactly this argv. The only place where words become shell text. */
export function quote(argv: readonly string[]): string {
    if (argv.length === 0) {
        throw new TypeError("an empty command");
    }
    if (argv.some(word => word.includes("\0"))) {
        throw new TypeError("a command's argument cannot contain a NUL character");
    }
    // The first word is always quoted: "if" or "time" would be a keyword.
    return [quoteWord(argv[0]), ...argv.slice(1).map(plainOrQuoted)].join(" ");
}

/** Reverses `quote`, for fake servers. Only accepts words made by `quote`. */
export function unquote(line: string): string[] {
    const words: string[] = [];
    let word: string | undefined;
    for (let i = 0; i < line.length; i++) {
        const c = line[i];
        if (c === " ") {
            if (word !== undefined) {
                words.push(word);
            }
            word = undefined;
        } else if (c === "'") {
            const end = line.indexOf("'", i + 1);
            if (end < 0) {
                throw new SyntaxError("a quote is not closed");
            }
            word = (word ?? "") + line.slice(i + 1, end);
            i = end;
        } else if (c === "\\") {
            word = (word ?? "") + (line[++i] ?? "");
        } else {
            word = (word ?? "") + c;
        }
    }
    if (word !== undefined) {
        words.push(word);
    }
    return words;
}
