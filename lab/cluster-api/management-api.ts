import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { request } from "node:http";

/** A client of the management cluster's API. */
export interface ManagementApi {
    get<T>(path: string): Promise<T>;
    /** A merge patch. An object that is gone is no error. */
    patch(path: string, change: object): Promise<void>;
    stop(): void;
}

/**
 * Reaches the API from outside of the lab's network: kubectl runs inside and serves a socket. It ends with this process.
 * `kubectl`: the command with --kubeconfig, as it runs in the lab's network.
 */
export function openManagementApi(kubectl: readonly string[], socketPath: string): ManagementApi {
    rmSync(socketPath, { force: true });
    const argv = ["setpriv", "--pdeathsig", "KILL", "--", ...kubectl, "proxy", `--unix-socket=${socketPath}`];
    const child = spawn(argv[0]!, argv.slice(1), { stdio: "ignore" });
    const ask = (method: string, path: string, body?: object) =>
        new Promise<{ code: number; text: string }>((resolve, reject) => {
            const headers = { host: "localhost", "content-type": "application/merge-patch+json" };
            const asked = request({ socketPath, method, path, headers, timeout: 10_000 }, answer => {
                let text = "";
                answer.setEncoding("utf8").on("data", part => (text += part));
                answer.on("end", () => resolve({ code: answer.statusCode!, text }));
                answer.on("error", reject);
            });
            asked.on("timeout", () => asked.destroy(new Error(`${method} ${path}: no answer`)));
            asked.on("error", reject);
            asked.end(body && JSON.stringify(body));
        });
    return {
        get: async path => {
            const { code, text } = await ask("GET", path);
            if (code !== 200) throw new Error(`GET ${path}: ${code} ${text.slice(0, 300)}`);
            return JSON.parse(text);
        },
        patch: async (path, change) => {
            const { code, text } = await ask("PATCH", path, change);
            if (code !== 200 && code !== 404) throw new Error(`PATCH ${path}: ${code} ${text.slice(0, 300)}`);
        },
        stop: () => void child.kill("SIGKILL"),
    };
}
