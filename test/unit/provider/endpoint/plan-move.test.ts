import assert from "node:assert/strict";
import { type NodeAtEndpoint, planMove } from "../../../../provider/endpoint/plan-move";
import { vipEndpoint } from "../sample-specs";

const url = "https://10.0.0.100:16443";
const former = "https://10.0.0.101:16443";
const noted = ['{"host":"10.0.0.101","port":16443}'];
const own = (name: string) => `https://10.0.0.1${name.slice(1)}:6443`;

const master = (name: string, servers: string[], formers: string[] = []): NodeAtEndpoint => ({
    name,
    isMaster: true,
    ownServer: own(name),
    seen: { servers: [own(name), ...servers], formers },
});
const worker = (name: string, servers: string[], formers: string[] = []): NodeAtEndpoint => ({
    name,
    isMaster: false,
    seen: { servers, formers },
});

describe("what is to be done until all nodes are at the endpoint", () => {
    it("nothing where all talk to it, or to their own API server", () => {
        assert.equal(planMove(vipEndpoint, [worker("w1", [url]), master("m1", [url])]), undefined);
    });

    it("nothing that can be seen where no node answers: a silent one is no reason to move the others", () => {
        const silent: NodeAtEndpoint = { name: "w1", isMaster: false, reason: "connection refused" };
        assert.equal(planMove(vipEndpoint, [silent, master("m1", [url])]), undefined);
    });

    it("masters first, and the former one goes from all that noted it", () => {
        const nodes = [worker("w1", [former], noted), master("m1", [former], noted), master("m2", [url], noted)];
        assert.deepEqual(planMove(vipEndpoint, nodes), {
            prove: ["m1", "m2"],
            move: ["m1", "m2", "w1"],
            missing: [],
            takeAway: ["m1", "m2", "w1"],
        });
    });

    it("a node that does not answer is named; the others are moved", () => {
        const nodes = [master("m1", [former], noted), { name: "w1", isMaster: false, reason: "no route to host" }];
        const { move, missing } = planMove(vipEndpoint, nodes)!;
        assert.deepEqual(move, ["m1"]);
        assert.deepEqual(missing, [{ name: "w1", reason: "no route to host" }]);
    });

    it("a worker's own address is no API server", () => {
        assert.deepEqual(planMove(vipEndpoint, [worker("w1", ["https://10.0.0.21:6443"])])!.move, ["w1"]);
    });
});
