import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";

/**
 * PATH with the folder of the interpreter that `python3` starts in front. A version manager's `python3` is a shell script that starts twenty programs
 * before the interpreter, and tests start it thousands of times.
 */
export function pathOfPython(path = process.env["PATH"] ?? ""): string {
    const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
        encoding: "utf8",
        env: { ...process.env, PATH: path },
    });
    const folder = dirname((stdout ?? "").trim());
    const found = status === 0 && folder !== ".";
    return found ? [folder, ...path.split(delimiter).filter(each => each !== folder)].join(delimiter) : path;
}
