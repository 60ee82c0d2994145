import assert from "node:assert/strict";
import { resourceName } from "../../../../components/common/resource-name";

describe("names of a node's resources", () => {
    const nodes = ["m1", "core-m1", "core-workers-1", "site-m1", "corem1"];
    const namesUnder = (name: string) => nodes.map(node => resourceName({ name, clusterName: "core" }, node));

    it("have the cluster's name once", () => {
        assert.deepEqual(namesUnder("core"), ["core-m1", "core-m1", "core-workers-1", "core-site-m1", "core-corem1"]);
    });

    // The SDK derives the aliases of children by exchanging the beginning of their names.
    it("differ in their beginning only when the cluster's resource has another name", () => {
        const renamed = namesUnder("core").map(name => `site${name.slice("core".length)}`);
        assert.deepEqual(namesUnder("site"), renamed);
    });
});
