import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { descriptors, type ResourceTypeName } from "../../../../provider/adapters/descriptors";
import { classify } from "../../../../provider/operation/classify";
import { reference, stepLists } from "../../../../provider/phases/phase";
import { phasePage } from "../../../../provider/phases/phase-page";
import { type PhaseList, phaseLists } from "../../../../provider/phases/phases";
import { projectRoot } from "../../../support/user-project";
import { actOf, brokenOrders, isIn, phasesIn, resourcesOf, typeOf, unsaidOrders, waitsForLater } from "./phase-order";
import { type Recorded, recordPrograms } from "./phase-programs";

let programs: Recorded[] = [];

before(async () => {
    // The first program loads Pulumi's SDK.
    programs = await recordPrograms();
});

const nameOf = ({ kind, direction, when, on }: PhaseList) =>
    [kind, direction, when, on?.join(" and ")].filter(Boolean).join(", ");
const lists = phaseLists.map((list): [string, PhaseList] => [nameOf(list), list]);
describe("the phases of an operation", () => {
    for (const [name, list] of lists) {
        it(`${name}: each phase waits for earlier ones only, and the engine keeps this order`, () => {
            assert.deepEqual(
                programs.filter(each => isIn(list, each)).flatMap(program => brokenOrders(list, program)),
                [],
            );
        });

        it(`${name}: no phase waits for a later one, and each order that the resources have is in the list`, () => {
            const ofList = programs.filter(each => isIn(list, each));
            assert.deepEqual(
                [...ofList.flatMap(program => waitsForLater(list, program)), ...unsaidOrders(list, ofList)],
                [],
            );
        });

        it(`${name}: at a time as many as it says, and with whom it says`, () => {
            for (const program of programs.filter(each => isIn(list, each))) {
                for (const phase of phasesIn(list, program)) {
                    const all = resourcesOf(phase, program);
                    for (const one of phase.pace ? all : []) {
                        for (const other of all.filter(each => each !== one)) {
                            const inOrder = program.waitsFor(one, other) || program.waitsFor(other, one);
                            // Hosts of one role, and of different ones, do not wait for each other.
                            assert.equal(inOrder, phase.pace === "one after another", `${one.label}, ${other.label}`);
                        }
                    }
                    for (const one of all) {
                        const goesWith = one.deletedWith.split(" ")[0]!;
                        if (actOf(phase) === "skip") assert.ok(phase.with!.includes(goesWith), one.label);
                        if (actOf(phase) === "delete" && list.kind === "terminate")
                            assert.equal(one.deletedWith, "", `${one.label} would be skipped`);
                    }
                }
            }
        });
    }

    it("name types that exist, and each phase has resources with each back end that it names", () => {
        for (const [name, list] of lists) {
            for (const phase of list.phases) {
                for (const type of phase.by) {
                    const found = programs.some(({ resources }) => resources.some(each => typeOf(each) === type));
                    assert.ok(found, `${name}: ${phase.id}: no program has ${type}`);
                }
                for (const backEnd of ["hosts", "nova", "heat"] as const) {
                    const all = programs.filter(
                        each => each.backEnd === backEnd && isIn(list, each) && isIn(phase, each),
                    );
                    const found = all.some(each => resourcesOf(phase, each).length > 0);
                    assert.ok(found || all.length === 0, `${name}: ${phase.id}: nothing with ${backEnd}`);
                }
            }
        }
    });

    it("are in a list only if one of its back ends has them", () => {
        const strangers = lists.flatMap(([name, { phases, on = ["hosts", "nova", "heat"] }]) =>
            phases
                .filter(phase => phase.on && !phase.on.some(each => on.includes(each)))
                .map(({ id }) => `${name}: ${id}`),
        );
        assert.deepEqual(strangers, []);
        assert.doesNotMatch(phasePage(), /^\| \d+ \| :/m);
    });

    it("wait for ClusterId, which refuses what cannot be changed, except those that docs/how-it-works.md names", () => {
        const early = programs.flatMap(({ resources, waitsFor }) => {
            const identity = resources.find(each => typeOf(each) === "ClusterId")!;
            return resources.filter(each => each !== identity && !waitsFor(each, identity)).map(typeOf);
        });
        const page = readFileSync(join(projectRoot, "docs/how-it-works.md"), "utf8");
        const [, sentence] = /Five types of resources do not wait for it: (.*)/.exec(page) ?? [];
        const named = [...(sentence ?? "").matchAll(/`(\w+)` \(/g)].map(([, type]) => type!);
        assert.deepEqual(named.sort(), [...new Set(early)].sort());
    });

    it("leave out no resource of a cluster, neither when it is made nor when it is destroyed", () => {
        for (const kind of ["instantiate", "terminate"] as const) {
            const list = phaseLists.find(each => each.kind === kind)!;
            for (const program of programs) {
                const named = phasesIn(list, program).flatMap(phase => resourcesOf(phase, program));
                const missing = program.resources.filter(each => !named.includes(each));
                assert.deepEqual(
                    missing.map(({ label }) => label),
                    [],
                    `${kind}: ${program.name}`,
                );
            }
        }
        const own = new Set(programs.flatMap(({ resources }) => resources.map(typeOf)));
        const onClusters: ResourceTypeName[] = [
            "CnfNamespace",
            "CnfObjects",
            "CnfReadiness",
            "ClusterApiProviders",
            "WorkloadClaim",
            "WorkloadRollout",
            "CredentialReport",
            "ClusterMove",
        ];
        const missing = Object.keys(descriptors).filter(type => !own.has(type) && !onClusters.includes(type as never));
        assert.deepEqual(missing, [], "no program of this test has them");
    });

    it("exist for each operation, each with one start and one end, where hooks run", () => {
        const names = ["instantiate", "scale", "heal", "change_external_connectivity", "change_current_package"];
        assert.deepEqual(
            [...new Set(phaseLists.map(({ kind }) => kind))],
            [...names, "modify_information", "terminate"],
        );
        const [out, in_] = [
            classify({ nodes: {} }, { nodes: { w: { role: "worker" } } }),
            classify({ nodes: { w: { role: "worker" } } }, { nodes: {} }),
        ];
        for (const { kind, direction } of [...out, ...in_])
            assert.ok(
                phaseLists.some(each => each.kind === kind && each.direction === direction),
                `${kind} ${direction}`,
            );
        for (const [name, list] of lists) {
            const hooks = list.phases.filter(({ hook }) => hook).map(({ hook, by }) => `${hook} ${by.join()}`);
            const reverse = list.kind === "terminate";
            const last = list.direction === "in" && list.on?.includes("nova") ? "NodeEnd" : "OperationEnd";
            const wanted = reverse
                ? ["start OperationEnd", "end OperationStart"]
                : ["start OperationStart", `end ${last}`];
            assert.deepEqual(hooks, wanted, name);
        }
    });

    it("have one meaning for each id, and name lists of steps that have steps", () => {
        for (const [name, { phases }] of lists) {
            const ids = phases.map(({ id }) => id);
            assert.equal(new Set(ids).size, ids.length, name);
            for (const { steps } of phases) if (steps) assert.ok(stepLists[steps].length > 0);
        }
        const all = new Set(phaseLists.flatMap(({ phases }) => phases.map(({ id }) => id)));
        const unknown = phaseLists.flatMap(({ phases }) =>
            phases.flatMap(({ after }) => after.map(each => reference(each).id)),
        );
        assert.deepEqual(
            unknown.filter(id => !all.has(id)),
            [],
        );
    });

    it("are in docs/operations.md (made by `npx tsx provider/phases/phase-page.ts >docs/operations.md`)", () => {
        assert.equal(readFileSync(join(projectRoot, "docs/operations.md"), "utf8"), phasePage());
    });
});
