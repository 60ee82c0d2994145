import assert from "node:assert/strict";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs } from "../sample-args";

const found = (tenants: object, more: object = {}) =>
    problems("KubernetesCluster", { ...clusterArgs(1), ...more, tenants });
const storage = { server: { address: "10.0.0.31" } };

/** What a program gives → what it reads. */
const rows: [tenants: object, problem: RegExp][] = [
    [{ externalIps: ["192.0.2.300"] }, /tenants\.externalIps\.0.*"192\.0\.2\.300" is no network: write it like/],
    [
        { externalIps: ["192.0.2.1", "192.0.2.1/28"] },
        /tenants\.externalIps\.1.*an address in the network 192\.0\.2\.0\/28/,
    ],
    [{ externalIps: ["0.0.0.0/0"] }, /overlaps network\.podCidr 10\.244\.0\.0\/16/],
    [{ externalIps: ["10.96.0.10"] }, /overlaps network\.serviceCidr/],
    [{ nfsServers: ["10.0.0.31"] }, /tenants\.nfsServers\.0.*10\.0\.0\.31 is the storage server/],
    [{ nfsServers: ["0x0a00001f"] }, /"0x0a00001f" is no DNS name and no IP address in its usual form/],
    [{ nfsServers: ["10.31"] }, /"10\.31" is no DNS name/],
    [{ nfsServers: [""] }, /"" is no DNS name/],
];

describe("what tenants may use", () => {
    for (const [tenants, problem] of rows) {
        it(`is refused, and it is said why: ${JSON.stringify(tenants)}`, () => {
            assert.match(JSON.stringify(found(tenants, { storage })).replaceAll("\\", ""), problem);
        });
    }

    it("is taken where it says what it means", () => {
        const tenants = {
            externalIps: ["192.0.2.1", "192.0.2.16/28", "2001:db8::/64"],
            nfsServers: ["filer.site", "10.0.0.32", "2001:db8::1"],
            controlPlaneNodes: true,
        };
        assert.deepEqual(found(tenants), []);
    });
});
