import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BillOfMaterials, billOfMaterials } from "../../../dev/release/bill-of-materials";
import { projectRoot } from "../../support/user-project";
import { assertValid, namesOf } from "./bill";

/** The long story compares it with an installation: bill.full.test.ts. */
describe("the bill of materials, of the versions in package-lock.json", () => {
    let bill: BillOfMaterials;
    before(async () => {
        bill = await billOfMaterials(projectRoot, { versions: "lock" });
    });

    it("is one by the schema of CycloneDX, which finds a mistake", async () => {
        await assertValid(bill);
        await assert.rejects(assertValid({ ...bill, components: [{ ...bill.components[0]!, name: 7 as never }] }));
    });

    it("names the package, each dependency and each required peer, also those that development needs, too", () => {
        const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        const { name, version } = bill.metadata.component;
        assert.deepEqual([name, version], [manifest.name, manifest.version]);
        const optional = Object.keys(manifest.peerDependenciesMeta);
        const peers = Object.keys(manifest.peerDependencies).filter(peer => !optional.includes(peer));
        const versions = { ...manifest.devDependencies, ...manifest.dependencies };
        const wanted = [...Object.keys(manifest.dependencies), ...peers].map(each => `${each}@${versions[each]}`);
        assert.ok(wanted.length >= 8);
        const named = namesOf(bill);
        assert.deepEqual(
            wanted.filter(each => !named.includes(each)),
            [],
        );
    });

    it("names no tool of development, and no component twice", () => {
        const named = namesOf(bill);
        assert.deepEqual(
            named.filter(each => /^(mocha|@biomejs\/|typedoc|fast-check|puppeteer)/.test(each)),
            [],
        );
        assert.equal(new Set(named).size, named.length);
    });
});
