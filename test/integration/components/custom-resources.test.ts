import { strict as assert } from "node:assert";
import { asStory } from "../../support/story";
import { CustomResourcesProject, condition, definition, resource } from "./custom-resources-project";

/** Real engine, plugin and API server; the test is the controller of the custom resources. */
describe("custom resources of a network function", function () {
    this.timeout("10m");
    asStory(this);
    let shop: CustomResourcesProject;

    before(async function () {
        shop = await CustomResourcesProject.open(this, "customs");
    });
    after(() => shop?.close());

    const upf = (size: number, more: object = {}) => ({
        ...{ namespace: "demo", timeoutSeconds: 60 },
        objects: [
            definition("Widget", "conditions"),
            definition("Gear", "conditions"),
            resource("Widget", "w", { spec: { size } }),
        ],
        ...more,
    });

    it("pass the preview before their definition is there, which the same function brings", async () => {
        shop.give({ upf: upf(1) });
        const { code, output } = await shop.run("preview");
        assert.equal(code, 0, output);
        assert.match(
            output,
            /CnfReadiness upf\/definitions create[\s\S]*Widget upf\/Widget\.shop\.example\.com\/demo\/w create/,
        );
    });

    it("are awaited, with their condition in the row", async () => {
        const up = shop.upUntil(/1 of 3/, () =>
            shop.reconcile("Widget", "w", { observedGeneration: 1, conditions: [condition("Ready", "True")] }),
        );
        await shop.reconcile("Widget", "w", { conditions: [condition("Ready", "False", "Starting", "1 of 3")] });
        const { code, output } = await up;
        assert.equal(code, 0, output);
        assert.match(output, /upf\/ready creating .*Widget demo\/w: Ready is False \(Starting\): 1 of 3/);
    });

    it("that do not become ready fail with condition, reason and message, and with what is not ready below them", async () => {
        const { uid } = (await shop.find("Widget", "w"))!.metadata;
        const ownerReferences = [{ apiVersion: "shop.example.com/v1", kind: "Widget", name: "w", uid }];
        const gear = resource("Gear", "g", { metadata: { name: "g", namespace: "demo", ownerReferences } });
        await shop.api.client.apply(shop.pathOf("Gear", "g"), gear);
        await shop.reconcile("Gear", "g", {
            conditions: [condition("Ready", "False", "NoFlavor", "no flavor m1.huge")],
        });
        shop.give({ upf: upf(2, { timeoutSeconds: 8 }) });
        const up = shop.up();
        const why = condition("Ready", "False", "GearMissing", "waits for gear g");
        await shop.reconcile("Widget", "w", { observedGeneration: 2, conditions: [why] }, 2);
        const { code, output } = await up;
        assert.notEqual(code, 0);
        assert.match(
            output,
            /Cnf "upf": wait until it is ready: NOT_READY\n +Widget demo\/w is not ready after 8 s: Ready is False \(GearMissing\): waits for gear g\n +Gear g: Ready is False \(NoFlavor\): no flavor m1\.huge\n/,
        );
    });

    it("of a kind that the cluster does not have are refused at preview, with the kinds near it", async () => {
        shop.give({ smf: { namespace: "other", objects: [resource("Widgit", "x")] } });
        const { code, output } = await shop.run("preview");
        assert.notEqual(code, 0);
        assert.match(
            output,
            /INVALID_INPUT\n.*does not have the kind Widgit of shop\.example\.com\/v1 \(x\): near it has Widget of shop/,
        );
    });

    it("are gone before the function's namespace, and their definitions stay", async () => {
        // The garbage collector looks for new kinds every 30 s only: 8 s, which the state has, would not do.
        shop.give({ upf: upf(3) });
        const up = shop.up();
        const now = { observedGeneration: 3, conditions: [condition("Ready", "True")] };
        await Promise.all([up, shop.reconcile("Widget", "w", now, 3)]);
        assert.equal((await up).code, 0, (await up).output);
        const { code, output } = await shop.run("destroy", "--yes", "--skip-preview");
        assert.equal(code, 0, output);
        assert.equal(await shop.find("Widget", "w"), undefined);
        const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.shop.example.com";
        assert.ok(await shop.api.client.get(definitions));
    });
});
