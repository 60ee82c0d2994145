import assert from "node:assert/strict";
import { configFiles } from "../../../../lab/openstack/configs";
import { toIni } from "../../../../lab/openstack/ini";
import { cloudPackages } from "../../../../lab/openstack/packages";
import { releases, wiringAgent } from "../../../../lab/openstack/releases";
import { allServices } from "../../../../lab/openstack/services";
import { inside } from "../../../../lab/openstack/settings";

/** Value of a key in a section of an INI text. */
function value(text: string, section: string, key: string): string | undefined {
    const body = new RegExp(`^\\[${section}\\]\\n((?:[^\\[\\n].*\\n)*)`, "m").exec(text)?.[1] ?? "";
    return new RegExp(`^${key} = (.*)$`, "m").exec(body)?.[1];
}

describe("toIni", () => {
    it("adds up parts that share a section, the later one wins, undefined leaves out", () => {
        const text = toIni({ a: { x: 1, y: 2 } }, { b: { z: true } }, { a: { y: "3", x: undefined } });
        assert.equal(text, "[a]\ny = 3\n\n[b]\nz = true\n");
    });
});

for (const [system, release] of Object.entries(releases))
    describe(`configuration of the cloud with ${system}`, () => {
        const files = configFiles(release);

        it("exists for every file that a service is started with", () => {
            const named = allServices(release)
                .flatMap(service => [...service.argv, ...Object.values(service.env ?? {})])
                .filter(word => word.startsWith(`${inside.etc}/`) && /\.(conf|ini|config)$/.test(word))
                .map(word => word.slice(inside.etc.length + 1));
            assert.ok(named.length > 15);
            for (const path of named) {
                assert.ok(files[path], path);
            }
        });

        it("lets Heat's trusts be without a project, else stacks cannot be updated", () => {
            assert.equal(value(files["heat.conf"]!, "trustee", "username"), "heat");
            assert.equal(value(files["heat.conf"]!, "trustee", "project_name"), undefined);
            assert.equal(value(files["heat.conf"]!, "keystone_authtoken", "project_name"), "service");
        });

        it("gives compute host and network agents the same name, else no port can be bound", () => {
            const hosts = ["nova-compute.conf", "neutron.conf"].map(file => value(files[file]!, "DEFAULT", "host"));
            assert.equal(new Set(hosts).size, 1);
            assert.ok(hosts[0]);
        });

        it("has a driver for ports and for routers that are the same, and a package for its agent", () => {
            assert.equal(value(files["ml2.ini"]!, "ml2", "mechanism_drivers"), release.driver);
            assert.equal(value(files["neutron.conf"]!, "DEFAULT", "interface_driver"), release.driver);
            assert.ok(cloudPackages(release).includes(wiringAgent(release)));
        });

        it("keeps databases away from nova-compute", () => {
            assert.match(files["nova.conf"]!, /^\[api_database\]/m);
            assert.doesNotMatch(files["nova-compute.conf"]!, /database\]/);
        });

        it("keeps Keystone's keys, those of receipts too, in the state that outlives the services' root", () => {
            for (const section of ["fernet_tokens", "fernet_receipts", "credential"]) {
                const folder = value(files["keystone.conf"]!, section, "key_repository");
                assert.ok(folder?.startsWith(`${inside.state}/keystone/`), section);
            }
        });

        it("listens on the cloud's own addresses only", () => {
            const all =
                Object.values(files).join("\n") +
                allServices(release)
                    .flatMap(service => service.argv)
                    .join("\n");
            assert.doesNotMatch(all, /0\.0\.0\.0/);
            for (const { name, listens } of allServices(release)) {
                for (const { address } of listens ?? []) {
                    assert.match(address, /^(127\.0\.0\.1|172\.24\.4\.1)$/, name);
                }
            }
        });
    });
