import assert from "node:assert/strict";
import { findProblems } from "../../../../../provider/openstack/checks";
import type { CloudInventory } from "../../../../../provider/openstack/inventory";
import type { CloudRequirements } from "../../../../../provider/openstack/requirements";
import { owner, sampleInventory, sampleRequirements } from "../sample-cloud";

/** Changes needs and facts that match each other. */
export type Change = (needs: CloudRequirements, facts: CloudInventory) => void;

/** One line each: "id @ path: message | hint". */
export function problems(change: Change): string[] {
    const [needs, facts] = [sampleRequirements(), sampleInventory()];
    change(needs, facts);
    return findProblems(needs, facts).map(
        ({ id, path, message, hint }) => `${id} @ ${path}: ${message} | ${hint ?? ""}`,
    );
}

export const ref = (name: string, path = "p") => ({ name, path });

/** Limits of compute. */
export const compute = (facts: CloudInventory) => facts.quota!.compute!;

/** A server of this cluster's. */
export const server = (name: string, more: object = {}) => ({
    id: `id-${name}`,
    name,
    status: "ACTIVE",
    metadata: owner as Record<string, string>,
    flavor: { id: "3" },
    ...more,
});

/** A change of a cloud that has everything, and the one message that follows. */
export type Case = [what: string, change: Change, expected: RegExp];

export function finds(cases: readonly Case[]): void {
    for (const [what, change, expected] of cases) {
        it(`find ${what}`, () => {
            const found = problems(change).filter(text => !text.startsWith("quota-short"));
            assert.ok(new Set(found.map(text => text.split(" | ")[0])).size <= 2, found.join("\n"));
            assert.match(found.find(text => expected.test(text)) ?? found.join("\n"), expected);
        });
    }
}
