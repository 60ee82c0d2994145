import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { vipNetwork, vipWarnings } from "../../../../components/validation/vip-network";
import { clusterArgs } from "../sample-args";

describe("the network of a virtual address", () => {
    /** Of nodes in 10.99.0.0/24. */
    const said = (vip: object) => {
        const args = clusterArgs(3, {}, { controlPlane: { endpoint: { vip } } }) as never;
        const [refused] = vipNetwork(args);
        const [warned] = vipWarnings(args);
        return refused !== undefined ? "refused" : warned !== undefined ? "warned" : "";
    };

    it("is that of the control-plane nodes, as large as the program says", () => {
        const rows: [object, string][] = [
            [{ address: "10.99.0.100" }, ""],
            [{ address: "10.99.3.100", prefixLength: 16 }, ""],
            [{ address: "10.99.3.100", prefixLength: 24 }, "refused"],
            [{ address: "192.168.7.5" }, "refused"],
            [{ address: "8.8.8.8" }, "refused"],
            [{ address: "10.99.3.100" }, "warned"],
            // As of simulated machines.
            [{ address: "127.0.0.1" }, "warned"],
            // The interface may be of another network than the nodes' addresses.
            [{ address: "192.168.7.5", interface: "eth1" }, ""],
            [{}, ""],
        ];
        deepStrictEqual(
            rows.map(([vip]) => said(vip)),
            rows.map(([, answer]) => answer),
        );
    });

    it("warns with what to say where the network is larger", () => {
        const args = clusterArgs(3, {}, { controlPlane: { endpoint: { vip: { address: "10.99.3.100" } } } }) as never;
        const [warning, ...others] = vipWarnings(args);
        match(warning!, /10\.99\.3\.100 lies outside of the \/24 network of 10\.99\.0\.11.*prefixLength$/);
        strictEqual(others.length, 0);
    });
});
