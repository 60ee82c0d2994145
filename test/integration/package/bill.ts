import assert from "node:assert/strict";
import { type Spec, Validation } from "@cyclonedx/cyclonedx-library";
import type { BillOfMaterials } from "../../../dev/release/bill-of-materials";

/** Fails with what the schema of CycloneDX finds. */
export async function assertValid(bill: BillOfMaterials): Promise<void> {
    const validator = new Validation.JsonStrictValidator(bill.specVersion as Spec.Version);
    assert.equal(await validator.validate(JSON.stringify(bill)), null);
}

export const namesOf = ({ components }: BillOfMaterials) =>
    components.map(({ name, version }) => `${name}@${version}`).sort();
