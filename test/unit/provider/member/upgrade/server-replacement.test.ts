import assert from "node:assert/strict";
import { unknownValue } from "../../../../../provider/contract/values";
import { node } from "../../../../../provider/member/node";
import type { NodeInputs } from "../../../../../provider/member/node-state";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs } from "../../support/cloud";
import { endRun, listener } from "../../support/cluster";

const [former, next] = ["1f1f1f1f-0000-4000-8000-000000000000", "2e2e2e2e-0000-4000-8000-000000000000"];

describe("what preview says of a node whose server is replaced", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    before(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
    });
    afterEach(() => endRun());
    after(() => leave());

    const spec = { clusterId: "core-1", name: "w1", role: "worker", kubernetesVersion: "1.34.4" };
    /** When its server is deleted first, the engine has no former inputs. */
    const olds = {};
    const news = {
        spec: { ...spec, drain: { timeoutSeconds: 300, policy: "fail" } },
        controlPlane: [],
        pool: { name: "workers", maxUnavailable: 1 },
        server: { cloud: {}, project: undefined, region: undefined },
        serverId: unknownValue,
        replacement: { image: "golden", flavor: "large", former: { id: "s1", version: "1.34.4" } },
    } as unknown as NodeInputs;
    const said = async (before: Partial<NodeInputs>, after: NodeInputs) => {
        const context = listener();
        assert.equal(node.needsCheckInCloud!(before, after), true);
        assert.deepEqual(await node.checkInCloud!(before, after, context), { failures: [] });
        return context.noted;
    };
    const rest =
        "; after the control plane, workers of pool workers one after another; drained within 300 s, or the run stops; " +
        "then its server goes with its disk; port, addresses and further volumes stay";

    it("is from which image and flavor to which, as the cloud has them", async () => {
        serverIs(cloud, "s1", "ACTIVE", { image: { id: former }, flavor: { id: "f1" } });
        cloud.routes["GET /compute/flavors/detail"] = { flavors: [{ id: "f1", name: "small" }] };
        const image = (id: string, name: string) => ({ id, name, status: "active", min_disk: 0, min_ram: 0, size: 1 });
        cloud.routes["GET /image/v2/images"] = ({ query }) => ({
            body: { images: query.get("name") === "golden" ? [image(next, "golden")] : [] },
        });
        cloud.routes[`GET /image/v2/images/${former}`] = image(former, "golden-former");
        assert.deepEqual(await said(olds, news), [
            `server replaced: image golden-former (1f1f1f1f) to golden (2e2e2e2e), flavor small to large${rest}`,
        ]);
    });

    it("is to which only, where the server boots from a volume or its cloud is not known yet", async () => {
        serverIs(cloud, "s1", "ACTIVE", { image: "", flavor: { original_name: "large" } });
        assert.deepEqual(await said(olds, news), [`server replaced: image golden, flavor large as before${rest}`]);
        const later = { ...news, server: { ...news.server!, cloud: unknownValue as never } };
        assert.deepEqual(await said(olds, later), [`server replaced: image golden, flavor large${rest}`]);
    });

    it("is also from which version of Kubernetes to which, where that changes", async () => {
        serverIs(cloud, "s1", "ACTIVE", { image: "", flavor: { original_name: "large" } });
        const replacement = { ...news.replacement!, former: { id: "s1", version: "1.34.3" } };
        const [note] = await said(olds, { ...news, replacement });
        assert.match(
            note!,
            /^server replaced: image golden, flavor large as before, Kubernetes 1\.34\.3 to 1\.34\.4; after /,
        );
    });

    it("is nothing of a node that joins, or keeps its server", () => {
        const { replacement, ...kept } = news;
        const { former: _, ...joins } = replacement!;
        assert.equal(node.needsCheckInCloud!(olds, { ...news, replacement: joins }), false);
        assert.equal(node.needsCheckInCloud!(olds, kept as NodeInputs), false);
    });
});
