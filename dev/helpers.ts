import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { projectRoot } from "./levels";

const tests = join(projectRoot, "test");

/** The files below test/ that a test file, a path below test/, uses: imports and programs, directly or by others. */
export function helpersOf(file: string): string[] {
    const found = new Set<string>();
    const look = (path: string) => {
        for (const helper of usedBy(path)) {
            if (found.has(helper)) continue;
            found.add(helper);
            look(helper);
        }
    };
    look(join(tests, file.replace(/js$/, "ts")));
    return [...found].map(path => relative(tests, path));
}

const known = new Map<string, string[]>();

function usedBy(path: string): string[] {
    if (!known.has(path)) {
        const quoted = [...readFileSync(path, "utf8").matchAll(/"([\w./-]*\/[\w./-]+|[\w-]+\.(?:js|py|sh))"/g)];
        const places = quoted.flatMap(([, name]) => [join(dirname(path), name!), join(projectRoot, name!)]);
        const files = places.flatMap(place => [`${place}.ts`, place].find(isFile) ?? []);
        known.set(
            path,
            files.filter(file => file.startsWith(`${tests}/`)),
        );
    }
    return known.get(path)!;
}

// A path below a file, such as .git/NAME in a worktree, is an error to statSync alone.
const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
