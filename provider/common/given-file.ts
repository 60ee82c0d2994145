import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";

/** What the operating system says, in words. */
const words: Record<string, string> = {
    ENOENT: "there is no such file",
    ENOTDIR: "there is no such file: a part of its path is no folder",
    EISDIR: "it is a folder",
    EACCES: "this user may not read it",
    EPERM: "this user may not read it",
    ELOOP: "its links lead in a circle",
    ENAMETOOLONG: "the name is too long: is it a text in place of a path?",
};

/** Why a file that the user has named cannot be used: "a.pem: there is no such file; relative paths start from /work". */
export function whyUnreadable(path: string, error: unknown): string {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const from = isAbsolute(path) || code === "EISDIR" ? "" : `; relative paths start from ${process.cwd()}`;
    return `${path}: ${words[code] ?? message}${from}`;
}

const wordsOfWriting: Record<string, string> = {
    ...words,
    ENOENT: "its folder does not exist",
    ENOTDIR: "its folder does not exist: a part of its path is no folder",
    EACCES: "this user may not write there",
    EPERM: "this user may not write there",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
};

/** Why a file cannot be written where the user wants it. */
export function whyUnwritable(error: unknown): string {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return wordsOfWriting[code] ?? message;
}

/** The text of a file that the user has named. `shown`: how the user has written its path. @throws Error that says why it cannot be read */
export function readGivenFile(path: string, shown = path): string {
    try {
        return readFileSync(path, "utf8");
    } catch (error) {
        throw new Error(whyUnreadable(shown, error));
    }
}
