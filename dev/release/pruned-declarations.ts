import * as ts from "typescript";
import { declarationProgram } from "./declaration-program";

export interface PrunedDeclarations {
    /** By file of the compiler's declarations: what of it users can reach. Files without any are left out. */
    files: Map<string, string>;
    /** By entry: names of its values, which CommonJS and ES modules import. */
    values: Map<string, string[]>;
}

type Named = ts.ImportSpecifier | ts.ExportSpecifier;

/**
 * The compiler's declarations without those that no exported type or function is made of: users cannot import them. `entries`: the
 * declaration files that package.json exports. Comments stay: editors show them.
 */
export function prunedDeclarations(entries: readonly string[]): PrunedDeclarations {
    const { program, fileOf } = declarationProgram(entries);
    const checker = program.getTypeChecker();

    const kept = new Set<ts.Node>();
    const visited = new Set<ts.Node>();
    const keep = (node: ts.Node) => {
        if (visited.has(node)) return;
        visited.add(node);
        kept.add(node);
        const visit = (child: ts.Node): void => {
            if (ts.isIdentifier(child)) follow(checker.getSymbolAtLocation(child));
            if (ts.isImportTypeNode(child)) keepAll(checker.getSymbolAtLocation(child));
            ts.forEachChild(child, visit);
        };
        ts.forEachChild(node, visit);
    };
    const keepAll = (module: ts.Symbol | undefined) => {
        for (const exported of module ? checker.getExportsOfModule(module) : []) follow(exported);
    };
    const followed = new Set<ts.Symbol>();
    const follow = (symbol: ts.Symbol | undefined): void => {
        if (symbol === undefined || followed.has(symbol)) return;
        followed.add(symbol);
        for (const declaration of symbol.declarations ?? []) {
            kept.add(declaration);
            if (ts.isNamespaceImport(declaration) || ts.isNamespaceExport(declaration))
                keepAll(checker.getAliasedSymbol(symbol));
            const statement = statementOf(declaration);
            if (statement && !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) keep(statement);
        }
        if (!(symbol.flags & ts.SymbolFlags.Alias)) return;
        follow(checker.getImmediateAliasedSymbol(symbol));
        follow(checker.getAliasedSymbol(symbol));
    };

    const values = new Map<string, string[]>();
    for (const entry of entries) {
        const source = program.getSourceFile(entry);
        const module = source && checker.getSymbolAtLocation(source);
        if (!module) throw new Error(`${entry} exports nothing: is the package built?`);
        const exported = checker.getExportsOfModule(module);
        for (const symbol of exported) follow(symbol);
        const origin = (symbol: ts.Symbol) =>
            symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const ofValues = exported.filter(symbol => origin(symbol).flags & ts.SymbolFlags.Value);
        values.set(entry, ofValues.map(({ name }) => name).sort());
    }
    let files = new Map<string, string>();
    // A file that passes on nothing but files without anything kept has nothing itself: then its importers are looked at once more.
    for (let before = -1; files.size !== before; ) {
        before = files.size;
        const isLeftOut = (from: string, name: string) => {
            const target = fileOf(from, name);
            return before >= 0 && target !== undefined && !files.has(target);
        };
        const texts = program.getSourceFiles().flatMap((source): [string, string][] => {
            const text = prunedText(source, kept, isLeftOut);
            return text === undefined && !entries.includes(source.fileName)
                ? []
                : [[source.fileName, text ?? "export {};\n"]];
        });
        files = new Map(texts);
    }
    return { files, values };
}

function statementOf(node: ts.Node): ts.Statement | undefined {
    for (let at = node; at.parent; at = at.parent) if (ts.isSourceFile(at.parent)) return at as ts.Statement;
    return undefined;
}

/** undefined: nothing of the file is kept. */
function prunedText(
    source: ts.SourceFile,
    kept: ReadonlySet<ts.Node>,
    isLeftOut: (from: string, name: string) => boolean,
): string | undefined {
    const parts = source.statements.flatMap(statement => {
        const text = statement.getFullText(source);
        if (ts.isImportDeclaration(statement)) {
            const { importClause: clause } = statement;
            if (!clause) return [];
            const named = clause.namedBindings;
            if (named && ts.isNamedImports(named)) return withNames(statement, named.elements, kept, source);
            return (named && kept.has(named)) || kept.has(clause) ? [text] : [];
        }
        if (ts.isExportDeclaration(statement)) {
            const clause = statement.exportClause;
            if (clause && ts.isNamedExports(clause)) return withNames(statement, clause.elements, kept, source);
            const from = statement.moduleSpecifier as ts.StringLiteral;
            return isLeftOut(source.fileName, from.text) ? [] : [text];
        }
        return kept.has(statement) || ts.isExportAssignment(statement) ? [text] : [];
    });
    return parts.length === 0 ? undefined : `${parts.join("").trim()}\n`;
}

/** The statement with those of its names that are kept. */
function withNames(
    statement: ts.ImportDeclaration | ts.ExportDeclaration,
    names: ts.NodeArray<Named>,
    kept: ReadonlySet<ts.Node>,
    source: ts.SourceFile,
): string[] {
    const left = names.filter(name => kept.has(name));
    if (left.length === 0) return [];
    const text = statement.getFullText(source);
    const at = statement.getFullStart();
    const [from, to] = [names[0]!.getStart(source) - at, names.at(-1)!.getEnd() - at];
    return [`${text.slice(0, from)}${left.map(name => name.getText(source)).join(", ")}${text.slice(to)}`];
}
