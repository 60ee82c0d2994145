import ts from "typescript";

/** A text in lower-case words, with the lines of the original: `fooBar` becomes "foo bar". */
export interface Words {
    /** Of identifiers alone. */
    names: string;
    /** Of identifiers, comments and strings. */
    all: string;
    comments: readonly Comment[];
}

export interface Comment {
    line: number;
    /** Without the marks of the comment. */
    text: string;
}

/** `text`, in the order of the file; together they are the whole file. */
export interface Token {
    kind: "name" | "comment" | "string" | "other";
    text: string;
}

const { SyntaxKind } = ts;
const kinds: Partial<Record<ts.SyntaxKind, Token["kind"]>> = {
    [SyntaxKind.Identifier]: "name",
    [SyntaxKind.PrivateIdentifier]: "name",
    [SyntaxKind.SingleLineCommentTrivia]: "comment",
    [SyntaxKind.MultiLineCommentTrivia]: "comment",
    [SyntaxKind.StringLiteral]: "string",
    [SyntaxKind.NoSubstitutionTemplateLiteral]: "string",
    [SyntaxKind.TemplateHead]: "string",
    [SyntaxKind.TemplateMiddle]: "string",
    [SyntaxKind.TemplateTail]: "string",
};

/** A slash after one of these divides. After any other token it begins a regular expression. */
const operands: ReadonlySet<ts.SyntaxKind> = new Set([
    ...[SyntaxKind.Identifier, SyntaxKind.NumericLiteral, SyntaxKind.StringLiteral, SyntaxKind.TemplateTail],
    ...[SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.RegularExpressionLiteral, SyntaxKind.ThisKeyword],
    ...[SyntaxKind.CloseParenToken, SyntaxKind.CloseBracketToken, SyntaxKind.CloseBraceToken],
]);

/** Of TypeScript and JavaScript. Pure. */
export function tokensOf(text: string): Token[] {
    const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
    const tokens: Token[] = [];
    /** Where what is no name, comment or string began. */
    let other = 0;
    /** Open braces within each `${` that is open. */
    const braces: number[] = [];
    let before = SyntaxKind.Unknown;
    for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
        const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
        if (isSlash && !operands.has(before)) kind = scanner.reScanSlashToken();
        if (kind === SyntaxKind.CloseBraceToken && braces.at(-1) === 0) kind = scanner.reScanTemplateToken(false);
        if (kind === SyntaxKind.TemplateHead) braces.push(0);
        if (kind === SyntaxKind.TemplateTail) braces.pop();
        if (kind === SyntaxKind.OpenBraceToken) braces.push((braces.pop() ?? 0) + 1);
        if (kind === SyntaxKind.CloseBraceToken) braces.push((braces.pop() ?? 0) - 1);
        if (kind < SyntaxKind.FirstTriviaToken || kind > SyntaxKind.LastTriviaToken) before = kind;
        const found = kinds[kind];
        if (found === undefined) continue;
        const start = scanner.getTokenStart();
        if (start > other) tokens.push({ kind: "other", text: text.slice(other, start) });
        tokens.push({ kind: found, text: scanner.getTokenText() });
        other = scanner.getTokenEnd();
    }
    if (text.length > other) tokens.push({ kind: "other", text: text.slice(other) });
    return tokens;
}

/** Of languages in which "#" begins a comment: the rest of a line counts as names. Pure. */
function tokensOfScript(text: string): Token[] {
    return text
        .split(/(?<=\n)/)
        .flatMap(line => {
            const [, code = "", comment = ""] = /^((?:(?!(?:^|\s)#).)*)([\s\S]*)$/.exec(line) ?? [];
            return [
                { kind: "name", text: code },
                { kind: "comment", text: comment },
            ] satisfies Token[];
        })
        .filter(token => token.text !== "");
}

/** By the ending of the file's name. Pure. */
export function wordsOf(path: string, text: string): Words {
    const tokens = /\.m?[jt]s$/.test(path) ? tokensOf(text) : tokensOfScript(text);
    let names = "";
    let all = "";
    for (const { kind, text: token } of tokens) {
        const lines = token.includes("\n") ? token.replace(/[^\n]+/g, " ") : " ";
        names += kind === "name" ? token : lines;
        all += kind === "other" ? lines : token;
    }
    return { names: plain(names), all: plain(all), comments: commentsOf(tokens) };
}

/** Words of camel case and snake case become words of their own. */
const plain = (text: string) => text.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, " ").toLowerCase();

/** Comments on lines without anything between them are one. */
function commentsOf(tokens: readonly Token[]): Comment[] {
    const found: Comment[] = [];
    let line = 1;
    let goesOn = false;
    for (const { kind, text } of tokens) {
        if (kind === "comment" && !goesOn) found.push({ line, text: text.replace(/^[\s#/*!]+/, "") });
        goesOn = kind === "comment" ? /^\s*(#|\/\/)/.test(text) : goesOn && text.trim() === "" && !/\n\s*\n/.test(text);
        if (text.includes("\n")) line += text.split("\n").length - 1;
    }
    return found;
}
