import assert from "node:assert/strict";
import { versionWarnings } from "../../../../components/validation/version-warnings";

const today = new Date("2026-11-29");
const warnings = (version: string, more = {}) => versionWarnings({ kubernetes: { version }, ...more }, today);

describe("warnings of a cluster's version", () => {
    it("are none for a supported one", () => {
        const cloudProvider = { cloudControllerManager: {}, cinderCsi: {} };
        assert.deepEqual(warnings("1.36.3", { cloudProvider, kubeProxy: { mode: "nftables" } }), []);
    });

    it("name its end, the end of ipvs, and parts of the cloud that are older", () => {
        assert.match(warnings("1.34.4")[0]!, /ended on 2026-10-27/);
        assert.deepEqual(warnings("1.36.3", { kubeProxy: { mode: "ipvs" } }).length, 1);
        const cloudProvider = { cloudControllerManager: {}, cinderCsi: { version: "v1.37.0" } };
        assert.deepEqual(warnings("1.37.2", { cloudProvider }), [
            "cloudProvider.cloudControllerManager: the newest version that this package knows is v1.36.0, for Kubernetes 1.36: 1.37.2 gets it. Another one: version",
        ]);
        assert.deepEqual(warnings("1.37.2", { cloudProvider: { cinderCsi: { enabled: false } } }), []);
    });
});
