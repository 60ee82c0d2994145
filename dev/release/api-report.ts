import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as ts from "typescript";
import { declarationProgram } from "./declaration-program";

/**
 * The public surface of each entry of package.json, as text: what it exports, with what that is made of, as the compiler declares it and without
 * comments. A change of the text is a change for users.
 *
 * It reads the compiled declarations (dist/). Other packages are not loaded: only their names are part of the surface.
 */
export function apiReports(root: string): Record<string, string> {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        exports: Record<string, unknown>;
    };
    const entries = Object.entries(exports).flatMap(([name, target]) => {
        const types = (target as { types?: string }).types;
        return types === undefined ? [] : [{ name: nameOf(name), file: resolve(root, types) }];
    });
    const { program } = declarationProgram(entries.map(({ file }) => file));
    return Object.fromEntries(entries.map(({ name, file }) => [name, reportOf(program, file)]));
}

/** "." → "index", "./pipeline" → "pipeline" */
function nameOf(entry: string): string {
    return entry === "." ? "index" : entry.slice(2);
}

function reportOf(program: ts.Program, file: string): string {
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing: is the package built?`);
    const origin = (symbol: ts.Symbol) =>
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const exported = checker.getExportsOfModule(module).map(symbol => ({ name: symbol.name, symbol: origin(symbol) }));
    const printed = new Map<ts.Symbol, string>();
    /** Types that are not exported by name, but that exported ones are made of. */
    const inner = new Map<ts.Symbol, string>();
    const known = new Set(exported.map(({ symbol }) => symbol));
    const printer = ts.createPrinter({ removeComments: true });
    const print = (symbol: ts.Symbol): string => {
        const parts = (symbol.declarations ?? []).map(declaration => {
            const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
            ts.forEachChild(node, function visit(child) {
                if (isPrivate(child)) return;
                if (ts.isIdentifier(child)) reach(child);
                ts.forEachChild(child, visit);
            });
            return printer.printNode(ts.EmitHint.Unspecified, withoutPrivate(node), node.getSourceFile());
        });
        return [...new Set(parts)].join("\n");
    };
    const reach = (identifier: ts.Identifier) => {
        const found = checker.getSymbolAtLocation(identifier);
        const symbol = found && origin(found);
        const isType = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Enum;
        if (!symbol || known.has(symbol) || inner.has(symbol) || !(symbol.flags & isType)) return;
        inner.set(symbol, "");
        inner.set(symbol, print(symbol));
    };
    for (const { symbol } of exported) printed.set(symbol, print(symbol));
    const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    const lines = exported
        .sort((a, b) => byName(a.name, b.name))
        .map(({ name, symbol }) => {
            const renamed = name === symbol.name ? "" : `// as ${name}\n`;
            return `${renamed}${printed.get(symbol) || `// ${name}: of another package`}\n`;
        });
    // Types of other packages have no text here.
    const others = [...inner.values()]
        .filter(text => text !== "")
        .map(text => `${text}\n`)
        .sort(byName);
    return `${lines.join("\n")}\n// Not exported by name:\n\n${others.join("\n")}`;
}

function isPrivate(node: ts.Node): boolean {
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    return (
        modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true ||
        (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name))
    );
}

/** A class without its private members: they are no promise. */
function withoutPrivate(node: ts.Node): ts.Node {
    if (!ts.isClassDeclaration(node)) return node;
    const members = node.members.filter(member => !isPrivate(member));
    return ts.factory.updateClassDeclaration(
        node,
        node.modifiers,
        node.name,
        node.typeParameters,
        node.heritageClauses,
        members,
    );
}
