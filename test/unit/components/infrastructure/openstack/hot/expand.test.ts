import assert from "node:assert/strict";
import fc from "fast-check";
import { asCall } from "../../../../../../components/infrastructure/openstack/hot/functions";
import { flat, samples } from "./samples";

/** What an output's value may be: text, or a function that returns text. */
function isText(value: unknown): boolean {
    if (typeof value === "string") return true;
    const call = asCall(value as any);
    if (call?.name === "get_attr")
        return /^(?:ip_address|first_address|floating_ip_address|cidr)$/.test(String((call.argument as any[]).at(-1)));
    return ["get_resource", "list_join", "str_replace"].includes(call?.name ?? "");
}

function references(value: any, found: string[] = []): string[] {
    const call = asCall(value);
    if (call && ["get_attr", "get_resource"].includes(call.name)) found.push([call.argument].flat()[0] as string);
    if (value !== null && typeof value === "object") for (const item of Object.values(value)) references(item, found);
    return found;
}

for (const [style, sample] of Object.entries(samples)) {
    describe(`a template of style ${style}, made flat`, () => {
        const masters = style === "v1, simple" ? 1 : 3;
        const counts = fc.integer({ min: 1, max: style === "v1, simple" ? 4 : 8 });
        const isOf = (name: string, count: number) => (resource: string) =>
            new RegExp(`^(?:worker_instance|workers|workerNode)_${count}_`).test(resource) && name !== "";

        it("has no groups, nested templates, or references to what is not there", () => {
            const { resources, outputs, parameters } = flat(sample(masters, 2));
            for (const { type } of Object.values(resources)) assert.match(type, /^OS::(?:Nova|Neutron|Cinder)::/);
            for (const name of references({ resources, outputs })) assert.ok(resources[name], name);
            for (const { depends_on = [] } of Object.values(resources)) {
                for (const name of depends_on) assert.ok(resources[name], name);
            }
            const used = JSON.stringify(resources).match(/"get_param":(?:\["|")([\w.-]+)/g) ?? [];
            for (const use of used) {
                const name = use.replace(/.*"/, "");
                assert.ok(name === "OS" || parameters[name], use);
            }
        });

        it("names each node once, with outputs that are there and are text", () => {
            const stack = sample(masters, 3);
            const { outputs, resources } = flat(stack);
            assert.equal(new Set(stack.nodes.map(node => node.name)).size, masters + 3);
            assert.equal(stack.nodes.filter(node => node.role === "controlPlane").length, masters);
            for (const [name, { value }] of Object.entries(outputs))
                assert.ok(isText(value), `${name}: ${JSON.stringify(value)}`);
            for (const node of stack.nodes) {
                assert.equal(resources[node.resource].type, "OS::Nova::Server");
                const named = [
                    node.outputs.address,
                    node.outputs.serverId,
                    ...Object.values(node.outputs.volumes ?? {}),
                ];
                for (const output of named) assert.ok(outputs[output], output);
                assert.deepEqual(outputs[node.outputs.serverId].value, { get_resource: node.resource });
            }
        });

        it("is the same text for the same answers", () => {
            assert.equal(sample(masters, 2).template, sample(masters, 2).template);
        });

        it("only gains the last node's resources when it grows, and only loses these when it shrinks", () => {
            fc.assert(
                fc.property(counts, count => {
                    const before = flat(sample(masters, count));
                    const after = flat(sample(masters, count + 1));
                    const added = Object.keys(after.resources).filter(name => !before.resources[name]);
                    assert.deepEqual(
                        Object.keys(before.resources).filter(name => !after.resources[name]),
                        [],
                    );
                    assert.ok(added.length > 0 && added.every(isOf("added", count + 1)), added.join());
                    for (const [name, resource] of Object.entries(before.resources)) {
                        assert.deepEqual(after.resources[name], resource, name);
                    }
                }),
                { numRuns: 8 },
            );
        });

        it("keeps the names of nodes when the number changes", () => {
            const names = (count: number) => sample(masters, count).nodes.map(node => [node.name, node.resource]);
            assert.deepEqual(names(4).slice(0, masters + 2), names(2));
        });

        it("loses exactly the resources of a node that is named, and gains the next one's when it grows again", () => {
            fc.assert(
                fc.property(fc.integer({ min: 1, max: 4 }), count => {
                    const before = flat(sample(masters, 4)).resources;
                    const after = flat(sample(masters, 3, [count])).resources;
                    const again = flat(sample(masters, 4, [count])).resources;
                    const gone = Object.keys(before).filter(name => !after[name]);
                    assert.ok(gone.length > 0 && gone.every(isOf("gone", count)), gone.join());
                    for (const [name, resource] of Object.entries(after)) {
                        assert.deepEqual(before[name], resource, name);
                        assert.deepEqual(again[name], resource, name);
                    }
                    const joined = Object.keys(again).filter(name => !after[name]);
                    assert.ok(joined.length > 0 && joined.every(isOf("joined", 5)), joined.join());
                    const names = (...given: [number, number[]?]) =>
                        sample(masters, ...given).nodes.map(({ name }) => name);
                    const removed = new RegExp(`workers-${count}$`);
                    assert.deepEqual(
                        names(3, [count]),
                        names(4).filter(name => !removed.test(name)),
                    );
                }),
                { numRuns: 4 },
            );
        });

        it("has parameters that are text", () => {
            const stack = sample(masters, 2);
            const declared = flat(stack).parameters;
            for (const [name, value] of Object.entries(stack.parameters)) {
                assert.equal(typeof value, "string");
                assert.ok(declared[name], name);
            }
        });
    });
}
