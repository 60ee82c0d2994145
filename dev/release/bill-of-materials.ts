import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../tools/run";
import { userManifest } from "./stage-package";

/** What is used here of CycloneDX. */
export interface BillOfMaterials {
    specVersion: string;
    metadata: { component: { name: string; version: string } };
    components: { name: string; version: string; purl: string }[];
}

export interface BillOptions {
    /**
     * `lock`: the versions of package-lock.json, which were tested; needs no network. `registry`: what npm chooses now for a user who installs the archive.
     */
    versions: "lock" | "registry";
}

/**
 * The bill of materials (CycloneDX, JSON) of what a user gets with the package: dependencies, peers that are required, in the versions that the README installs, and
 * what all of them need. It is made for package.json without development: `npm sbom --omit=dev` in the repository leaves out what development needs, too.
 */
export async function billOfMaterials(root: string, { versions }: BillOptions): Promise<BillOfMaterials> {
    const scratch = mkdtempSync(join(tmpdir(), "nfv-bill-"));
    try {
        const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
        const manifest = userManifest(root);
        const peers = Object.keys(manifest.peerDependencies).map(name => [name, devDependencies[name]]);
        // npm names the root of the bill by its folder.
        const folder = join(scratch, manifest.name);
        mkdirSync(folder);
        const text = JSON.stringify({ ...manifest, peerDependencies: Object.fromEntries(peers) });
        writeFileSync(join(folder, "package.json"), text);
        if (versions === "lock") copyFileSync(join(root, "package-lock.json"), join(folder, "package-lock.json"));
        const offline = versions === "lock" ? ["--offline"] : [];
        const resolve = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
        await run([...resolve, ...offline], { cwd: folder, what: "resolve the dependencies" });
        const sbom = ["npm", "sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
        return JSON.parse(await run(sbom, { cwd: folder, what: "write the bill of materials" }));
    } finally {
        rmSync(scratch, { recursive: true, force: true });
    }
}
