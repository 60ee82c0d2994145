import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { NfvError } from "../../../common/errors";

/** Why a package is refused: file, reason, what would be right. */
export function refused(file: string, cause: string, hint: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", step: "Tacker package", cause: `${file}: ${cause}`, hint });
}

/** The folder of an unpacked package, without symbolic links. */
export function packageFolderOf(folder: string): string {
    const path = realPath(resolve(folder));
    if (path === undefined) throw refused(folder, "there is no such folder", "Give the folder of an unpacked package.");
    if (!statSync(path).isDirectory()) throw refused(folder, "it is not a folder", "Unpack the package (unzip) first.");
    return path;
}

/**
 * Path of a file in the package, relative to its folder. A package comes from somebody else: nothing outside of it may
 * be read or run, neither by "..", nor by an absolute path, nor by a symbolic link.
 * `from`: the folder in the package that `file` is relative to. `where`: what names the file, for the error.
 */
export function fileOfPackage(folder: string, from: string, file: string, where: string): string {
    const inside = "Name a file of the package, relative to its folder" + (from === "." ? "." : ` ${from}.`);
    const path = resolve(folder, from, file);
    if (isAbsolute(file) || !contains(folder, path)) throw refused(where, `${file} leaves the package`, inside);
    const real = realPath(path);
    const shown = relative(folder, path);
    if (real === undefined) throw refused(where, `the package has no file ${shown}`, inside);
    if (!contains(folder, real)) throw refused(where, `${shown} is a symbolic link out of the package`, inside);
    if (!statSync(real).isFile()) throw refused(where, `${shown} is not a file`, inside);
    return shown;
}

function contains(folder: string, path: string): boolean {
    return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realPath(path: string): string | undefined {
    try {
        return realpathSync(path);
    } catch {
        return undefined;
    }
}
