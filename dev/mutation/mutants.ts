import ts from "typescript";

/** One small mistake in a source file: `text` in place of what is at `start` to `end`. */
export interface Mutant {
    line: number;
    start: number;
    end: number;
    /** What is there. */
    original: string;
    text: string;
}

const swaps: Partial<Record<ts.SyntaxKind, string[]>> = {
    [ts.SyntaxKind.EqualsEqualsEqualsToken]: ["!=="],
    [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ["==="],
    [ts.SyntaxKind.LessThanToken]: ["<=", ">="],
    [ts.SyntaxKind.LessThanEqualsToken]: ["<", ">"],
    [ts.SyntaxKind.GreaterThanToken]: [">=", "<="],
    [ts.SyntaxKind.GreaterThanEqualsToken]: [">", "<"],
    [ts.SyntaxKind.AmpersandAmpersandToken]: ["||"],
    [ts.SyntaxKind.BarBarToken]: ["&&"],
    [ts.SyntaxKind.QuestionQuestionToken]: ["&&"],
    [ts.SyntaxKind.PlusToken]: ["-"],
    [ts.SyntaxKind.MinusToken]: ["+"],
    [ts.SyntaxKind.AsteriskToken]: ["/"],
    [ts.SyntaxKind.SlashToken]: ["*"],
    [ts.SyntaxKind.PercentToken]: ["*"],
};

const methodSwaps: Record<string, string> = {
    some: "every",
    every: "some",
    startsWith: "endsWith",
    endsWith: "startsWith",
    min: "max",
    max: "min",
    floor: "ceil",
    ceil: "floor",
};

/** `a.filter(…)` becomes `a`. */
const removedMethods = new Set(["filter", "sort", "toSorted", "reverse", "slice", "trim", "toLowerCase"]);

type Change = [node: { getStart(): number; end: number }, text: string];

/**
 * What a mutant may change in one node. Strings with a blank are sentences for people and stay as they are; so do texts of
 * templates (shell, tested by running it) and regular expressions.
 */
function changesOf(node: ts.Node, source: ts.SourceFile): Change[] {
    const textOf = (part: ts.Node) => part.getText(source);
    if (ts.isBinaryExpression(node)) return binary(node);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
        return [[node, `(${textOf(node.operand)})`]];
    }
    if (ts.isIfStatement(node)) return bothWays(node.expression);
    if (ts.isConditionalExpression(node)) return bothWays(node.condition);
    if (ts.isWhileStatement(node)) return [[node.expression, "false"]];
    if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, "false"]];
    if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, "true"]];
    if (ts.isNumericLiteral(node)) return [[node, `(${textOf(node)} + 1)`]];
    if (ts.isStringLiteral(node)) return node.text === "" || /\s/.test(node.text) ? [] : [[node, '""']];
    if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 ? [[node, "[]"]] : [];
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return [[node.body, "undefined"]];
    if (ts.isBlock(node) && ts.isFunctionLike(node.parent)) return node.statements.length > 0 ? [[node, "{}"]] : [];
    if (ts.isThrowStatement(node)) return [[node, ";"]];
    if (ts.isExpressionStatement(node)) return [[node, ";"]];
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
        return method(node.expression, node);
    if (ts.isPropertyAccessExpression(node) && node.questionDotToken) return [[node.questionDotToken, "."]];
    return [];

    function method(callee: ts.PropertyAccessExpression, call: ts.CallExpression): Change[] {
        const name = callee.name.text;
        if (Object.hasOwn(methodSwaps, name)) return [[callee.name, methodSwaps[name]!]];
        return removedMethods.has(name) ? [[call, textOf(callee.expression)]] : [];
    }
}

function binary({ left, operatorToken, right }: ts.BinaryExpression): Change[] {
    const joinsText = operatorToken.kind === ts.SyntaxKind.PlusToken && [left, right].some(isText);
    return joinsText ? [] : (swaps[operatorToken.kind] ?? []).map(text => [operatorToken, text]);
}

function isText(node: ts.Expression): boolean {
    return (
        ts.isStringLiteralLike(node) ||
        ts.isTemplateExpression(node) ||
        (ts.isBinaryExpression(node) && isText(node.right))
    );
}

const bothWays = (condition: ts.Expression): Change[] => [
    [condition, "true"],
    [condition, "false"],
];

/** Types, imports and names of properties have no effect, or a compiler sees the mistake. */
const skipped = (node: ts.Node) =>
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node);

/** All mutants of a file, in the order of their places. Pure. */
export function mutantsOf(text: string): Mutant[] {
    const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.ES2022, true);
    const found: Mutant[] = [];
    const visit = (node: ts.Node): void => {
        if (skipped(node)) return;
        for (const [place, replacement] of changesOf(node, source)) {
            const start = place.getStart();
            const line = source.getLineAndCharacterOfPosition(start).line + 1;
            const original = text.slice(start, place.end);
            if (original !== replacement) found.push({ line, start, end: place.end, original, text: replacement });
        }
        node.forEachChild(child => {
            const isName = "name" in node && node.name === child && !ts.isComputedPropertyName(child);
            if (!isName) visit(child);
        });
    };
    visit(source);
    return found.sort((a, b) => a.start - b.start);
}

export function mutated(text: string, { start, end, text: replacement }: Mutant): string {
    return text.slice(0, start) + replacement + text.slice(end);
}
