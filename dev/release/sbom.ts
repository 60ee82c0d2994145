import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../levels";
import { billOfMaterials } from "./bill-of-materials";

/** npm run sbom [-- --lock]: the bill of materials, in dist; with --lock of the versions in package-lock.json, without network. */
async function main(argv: string[]): Promise<void> {
    const bill = await billOfMaterials(projectRoot, { versions: argv.includes("--lock") ? "lock" : "registry" });
    const { name, version } = bill.metadata.component;
    const file = join(projectRoot, "dist", `${name}-${version}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(bill, null, 4)}\n`);
    console.log(`${file}: ${bill.components.length} components`);
}

main(process.argv.slice(2)).catch(error => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
});
