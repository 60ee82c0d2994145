import assert from "node:assert/strict";
import { parse } from "yaml";
import type { StackResource } from "../../../../provider/openstack/heat";
import type { LiveStack } from "../../../../provider/openstack/stack";
import { forecastUpdate, resolveReferences } from "../../../../provider/openstack/stack-forecast";
import { FakeCloud } from "./fake-cloud";

const parameters: Record<string, string> = { "OS::stack_id": "1", image: "old" };
const stack = { id: "1", name: "core", action: "UPDATE", state: "COMPLETE", parameters } as LiveStack;
const resource = (name: string, status = "CREATE_COMPLETE"): StackResource => ({
    resource_name: name,
    resource_type: "OS::Nova::Server",
    resource_status: status,
    resource_status_reason: "",
    physical_resource_id: `id-${name}`,
});

describe("references of a template", () => {
    const known = {
        ids: new Map([["port", "p-1"]]),
        attributes: new Map([["port", { fixed_ips: [{ ip_address: "10.0.0.5" }], name: null }]]),
    };
    const properties = (value: unknown) =>
        resolveReferences({ resources: { a: { type: "T", properties: value } } }, known).resources!["a"];

    it("become the ids and attributes of what exists, at any depth", () => {
        const given = {
            networks: [{ port: { get_resource: "port" } }],
            address: { get_attr: ["port", "fixed_ips", 0, "ip_address"] },
        };
        const expected = { networks: [{ port: "p-1" }], address: "10.0.0.5" };
        assert.deepEqual(properties(given), { type: "T", properties: expected });
    });

    it("stay where nothing is known, and so does what only looks like one", () => {
        for (const given of [
            { get_resource: "new" },
            { get_attr: ["new", "x"] },
            { get_attr: ["port", "none", "deeper"] },
            { get_attr: ["port", "name", "deeper"] },
            { get_resource: "port", other: 1 },
            { get_param: "image" },
        ])
            assert.deepEqual(properties({ x: given }), { type: "T", properties: { x: given } });
    });
});

describe("what Heat would do", () => {
    let cloud: FakeCloud;
    const template =
        "resources: {s: {properties: {image: {get_param: image}, net: {get_resource: n}, ip: {get_attr: [n, ip]}}}}";
    const changes = (replaced: string[], deleted: string[] = []) => ({
        body: {
            resource_changes: {
                replaced: replaced.map(resource_name => ({ resource_name })),
                deleted: deleted.map(resource_name => ({ resource_name })),
            },
        },
    });
    const asked = () => cloud.calls.filter(({ method }) => method === "PUT").map(({ body }) => body);
    const forecast = (resources: StackResource[]) =>
        forecastUpdate(cloud.client(), stack, resources, { template, parameters: { image: "new" } });
    /** Its template and parameters are those that are wanted. */
    const same = { ...stack, parameters: { ...parameters, image: "new" } };
    const forecastOfSame = (changes: Partial<LiveStack> = {}) => {
        cloud.routes["GET /orchestration/stacks/core/1/template"] = parse(template);
        const wanted = { template, parameters: { image: "new" } };
        return forecastUpdate(cloud.client(), { ...same, ...changes }, [resource("s"), resource("n")], wanted);
    };

    beforeEach(async () => {
        cloud = await FakeCloud.start();
        cloud.routes["GET /orchestration/stacks/core/1/resources/n"] = { resource: { attributes: { ip: "10.0.0.1" } } };
        cloud.routes["GET /orchestration/stacks/core/1/template"] = { resources: { s: {} } };
    });
    afterEach(() => cloud.stop());

    it("is asked with what exists in place of references, in one question if nothing is replaced", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes([], ["gone"]);
        assert.deepEqual(await forecast([resource("s"), resource("n")]), {
            replaced: [],
            deleted: ["gone"],
            disturbed: [],
        });
        const properties = { image: { get_param: "image" }, net: "id-n", ip: "10.0.0.1" };
        assert.deepEqual(asked(), [{ template: { resources: { s: { properties } } }, parameters: { image: "new" } }]);
    });

    it("is without what Heat calls replaced although nothing changes: it cannot resolve everything", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = ({ body }) =>
            changes(body.parameters.image === "new" ? ["s", "n"] : ["n"]);
        assert.deepEqual(await forecast([resource("s"), resource("n")]), {
            replaced: ["s"],
            deleted: [],
            disturbed: [],
        });
        assert.deepEqual(asked()[1], { template: { resources: { s: {} } }, parameters: { image: "old" } });
    });

    it("has what Heat cannot judge, and which is not the same word for word", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes(["s"]);
        const { s } = (parse(template) as { resources: { s: { properties: object } } }).resources;
        const live = (changed: object) => {
            const properties = { ...s.properties, ...changed };
            cloud.routes["GET /orchestration/stacks/core/1/template"] = { resources: { s: { ...s, properties } } };
            return forecast([resource("s"), resource("n")]);
        };
        assert.deepEqual((await live({})).replaced, ["s"], "its image is a parameter that changes");
        const ask = () =>
            forecastUpdate(cloud.client(), same, [resource("s"), resource("n")], {
                template: template.replace(
                    "properties: {",
                    "properties: {user_data: a, user_data_update_policy: IGNORE, ",
                ),
                parameters: { image: "new" },
            });
        await live({ user_data: "b", user_data_update_policy: "IGNORE" });
        assert.deepEqual((await ask()).replaced, [], "Heat ignores other user data");
        await live({ user_data: "b" });
        assert.deepEqual((await ask()).replaced, ["s"]);
    });

    it("has all that Heat says after a change that failed: its template and parameters say what was wanted, not what is", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes(["s"]);
        assert.deepEqual((await forecastOfSame()).replaced, []);
        for (const last of [
            { action: "UPDATE", state: "FAILED" },
            { action: "CHECK", state: "COMPLETE" },
            { action: "RESUME", state: "COMPLETE" },
        ] as const)
            assert.deepEqual((await forecastOfSame(last)).replaced, ["s"], JSON.stringify(last));
    });

    it("has what cannot be judged where that refers to something replaced", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = (_, times) =>
            changes(times === 1 ? ["s", "n"] : ["s"]);
        assert.deepEqual((await forecastOfSame()).replaced, ["s", "n"]);
    });

    it("has servers that use something replaced: Heat does not foresee it", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes(["key"]);
        const resources = {
            key: { type: "OS::Nova::KeyPair" },
            group: { type: "OS::Neutron::SecurityGroup" },
            a: { type: "OS::Nova::Server", properties: { key_name: { get_resource: "key" } } },
            b: { type: "OS::Nova::Server", properties: { security_groups: [{ get_resource: "key" }] } },
            c: {
                type: "OS::Nova::Server",
                properties: { user_data: { get_resource: "key" }, user_data_update_policy: "IGNORE" },
            },
        };
        const wanted = { template: JSON.stringify({ resources }), parameters: {} };
        const failed = { ...stack, state: "FAILED" } as LiveStack;
        const found = await forecastUpdate(
            cloud.client(),
            failed,
            Object.keys(resources).map(each => resource(each)),
            wanted,
        );
        assert.deepEqual(found.replaced, ["key", "a"]);
    });

    it("lets Heat's own things stay after a change that failed, if state, stack and program say the same", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes(["done"]);
        const handle = (timeout: number) => ({
            resources: { done: { type: "OS::Heat::WaitCondition", properties: { timeout } } },
        });
        cloud.routes["GET /orchestration/stacks/core/1/template"] = handle(60);
        const wanted = { template: JSON.stringify(handle(60)), parameters: {} };
        const failed = { ...stack, state: "FAILED" } as LiveStack;
        const own = { ...resource("done"), resource_type: "OS::Heat::WaitCondition" };
        const replaced = async (former: object) =>
            (
                await forecastUpdate(cloud.client(), failed, [own], wanted, {
                    template: JSON.stringify(former),
                    parameters: {},
                })
            ).replaced;
        assert.deepEqual(await replaced(handle(60)), []);
        assert.deepEqual(await replaced(handle(30)), ["done"]);
    });

    it("keeps what failed: Heat replaces that at any change", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => changes(["s"]);
        assert.deepEqual((await forecast([resource("s", "UPDATE_FAILED"), resource("n")])).replaced, ["s"]);
        assert.deepEqual((await forecast([resource("s"), resource("n")])).replaced, ["s"]);
    });
});
