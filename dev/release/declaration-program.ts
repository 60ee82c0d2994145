import { dirname, join } from "node:path";
import * as ts from "typescript";

export interface DeclarationProgram {
    program: ts.Program;
    /** The declaration file of a relative import; undefined: it is none, or not there. */
    fileOf(from: string, name: string): string | undefined;
}

/** Reads declaration files of dist/ and what they import of ours; imports of other packages stay unresolved. */
export function declarationProgram(entries: readonly string[]): DeclarationProgram {
    const options: ts.CompilerOptions = {
        noLib: true,
        types: [],
        module: ts.ModuleKind.Node16,
        moduleResolution: ts.ModuleResolutionKind.Node16,
    };
    const host = ts.createCompilerHost(options);
    const fileOf = (from: string, name: string) => {
        if (!name.startsWith(".")) return undefined;
        const at = join(dirname(from), name.replace(/\.js$/, ""));
        return [`${at}.d.ts`, join(at, "index.d.ts")].find(file => host.fileExists(file));
    };
    host.resolveModuleNameLiterals = (literals, from) =>
        literals.map(({ text }) => {
            const found = fileOf(from, text);
            return { resolvedModule: found ? { resolvedFileName: found, extension: ts.Extension.Dts } : undefined };
        });
    return { program: ts.createProgram([...entries], options, host), fileOf };
}
