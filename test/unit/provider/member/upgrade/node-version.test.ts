import assert from "node:assert/strict";
import { movesFrom, parseNodeVersion } from "../../../../../provider/member/upgrade/node-version";

describe("the version that a node runs", () => {
    const from = (text: string, to: string) => movesFrom(parseNodeVersion(text), to);
    const servers = (version: string) => `component=${version}\n`.repeat(3);

    it("needs no move where all is at the wanted one", () => {
        assert.equal(from(`kubelet=1.34.4\n${servers("1.34.4")}`, "1.34.4"), undefined);
        assert.equal(from("kubelet=1.34.4\n", "1.34.4"), undefined);
    });

    it("needs one where kubelet or a server is at another", () => {
        assert.equal(from(`kubelet=1.34.3\n${servers("1.34.3")}`, "1.34.4"), "1.34.3");
        assert.equal(from(`kubelet=1.34.3\n${servers("1.34.4")}`, "1.34.4"), "1.34.3");
        assert.equal(from(`kubelet=1.34.4\n${servers("1.34.3")}`, "1.34.4"), "1.34.3");
    });

    it("needs one where a move has not ended, also back, from the version before it", () => {
        const text = `kubelet=1.34.4\n${servers("1.34.4")}unfinished=1.34.3 1.34.4\n`;
        assert.equal(from(text, "1.34.4"), "1.34.3");
        assert.equal(from(text, "1.34.3"), "1.34.4");
        assert.equal(from("kubelet=1.34.3\nunfinished=1.34.3 1.34.4\n", "1.34.3"), "1.34.4");
    });
});
