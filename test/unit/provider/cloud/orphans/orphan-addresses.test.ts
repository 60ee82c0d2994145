import assert from "node:assert/strict";
import {
    clearTheAddress,
    clearTheApiAddress,
    clearThePort,
    keepTheStorageAddress,
} from "../../../../../provider/cloud/orphans/orphan-addresses";
import { markWord } from "../../../../../provider/openstack/requirements";
import { listener } from "../../support/cluster";
import { descriptionOf, mark, orphanCloud, others, owner, place, serversOwner, tags } from "../../support/orphan-cloud";

const description = descriptionOf(mark);

describe("the word of a mark", () => {
    it("is another one for another cluster, program or key, and the same for another order", () => {
        assert.equal(new Set([mark, ...others].map(markWord)).size, 4);
        assert.equal(markWord(Object.fromEntries(Object.entries(mark).reverse())), markWord(mark));
    });

    it("leaves room in Neutron's 255 characters, whatever the names' length", () => {
        assert.ok(markWord({ ...mark, "pulumi-nfv.stack": "x".repeat(300) }).length < 40);
    });
});

describe("the port that a floating IP is to lead to", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();

    const orphan = {
        id: "f1",
        floating_ip_address: "203.0.113.7",
        port_id: "port-1",
        description,
        tags: [] as string[],
    };
    /** A server of ours that has been up, in the state of a test without machines: nothing answers there. */
    const server = { id: "s1", name: "core-workers-1", status: "ACTIVE", metadata: mark, addresses: {} };
    const serverAt = (device: string, found: object[], named: object[] = found) => {
        const port = { id: "port-1", name: "core-workers-1", device_id: device, device_owner: "compute:nova" };
        cloud().routes["GET /network/v2.0/ports/port-1"] = { port };
        cloud().routes["GET /compute/servers/detail"] = { servers: named };
        for (const each of found as { id: string }[])
            cloud().routes[`GET /compute/servers/${each.id}`] = { server: each };
    };
    const there = (...ips: object[]) => {
        serverAt("", []);
        cloud().routes["GET /network/v2.0/floatingips"] = { floatingips: ips };
        for (const ip of ips as { id: string }[]) {
            cloud().routes[`GET /network/v2.0/floatingips/${ip.id}`] = { floatingip: ip };
            cloud().routes[`DELETE /network/v2.0/floatingips/${ip.id}`] = () => ({ status: 204 });
        }
    };
    const clear = (wanted = description, context = listener(), changes: object = {}) =>
        clearThePort({ portId: "port-1", description: wanted }, { ...serversOwner, ...changes }, context, {
            servers: ["core-control-plane-1", "core-workers-1"],
            place,
        });

    it("is free where none leads to it: this is one question", async () => {
        there();
        await clear();
        assert.deepEqual(
            calls().map(({ query }) => query.get("port_id")),
            ["port-1"],
        );
    });

    it("is free again of what a killed run left, with or without tags", async () => {
        for (const some of [[], tags]) {
            there({ ...orphan, tags: some });
            const context = listener();
            await clear(description, context);
            assert.match(context.warned[0], /203\.0\.113\.7 \(f1\) of this cluster .* it is deleted, then made again/);
        }
        assert.deepEqual(changed(), Array(2).fill("DELETE /network/v2.0/floatingips/f1"));
    });

    it("stays with an address of the user's, whatever words it has", async () => {
        for (const words of ["", undefined, "reserved for the gateway", "core: workers-1"]) {
            there({ ...orphan, description: words });
            assert.match(
                await refusal(clear()),
                /203\.0\.113\.7 \(f1\) leads to the port port-1[\s\S]*openstack floating ip unset --port f1[\s\S]*openstack floating ip delete f1/,
            );
        }
    });

    it("stays with one of another cluster, program or state", async () => {
        for (const other of others) {
            there({ ...orphan, description: descriptionOf(other) });
            await refusal(clear());
        }
    });

    it("stays with another one of this state, which somebody moved there", async () => {
        there({ ...orphan, description: descriptionOf(mark, "api") });
        await refusal(clear());
    });

    it("stays with one that somebody gave a tag", async () => {
        there({ ...orphan, tags: [...tags, "keep"] });
        await refusal(clear());
    });

    it("is not cleared by a description without the mark: somebody else may give the same", async () => {
        there({ ...orphan, description: "core: workers-1" });
        await refusal(clear("core: workers-1"));
    });

    it("keeps all that leads to it where one is not ours", async () => {
        there(orphan, { ...orphan, id: "f2", description: "" });
        await refusal(clear());
    });

    it("is looked at again at the moment of the deletion", async () => {
        there(orphan);
        cloud().routes["GET /network/v2.0/floatingips/f1"] = { floatingip: { ...orphan, description: "adopted" } };
        await refusal(clear());
        cloud().routes["GET /network/v2.0/floatingips/f1"] = { floatingip: { ...orphan, port_id: "port-2" } };
        await clear();
        delete cloud().routes["GET /network/v2.0/floatingips/f1"];
        await clear();
        assert.deepEqual(changed(), []);
    });

    describe("with one of ours, that a state has lost which somebody refreshed through a proxy", () => {
        const note = /pulumi import openstack:networking\/floatingIp:FloatingIp vnf-part f1 --parent 'parent=urn:core'/;

        it("stays where its server has been up and may have a node", async () => {
            there(orphan);
            serverAt("s1", [server]);
            assert.match(await refusal(clear()), note);
        });

        it("stays behind the API's port, or a jump server's, where a node may live", async () => {
            const jump = { ...server, id: "j1", metadata: { ...mark, "pulumi-nfv.role": "jump" } };
            there(orphan);
            serverAt("", [server]);
            assert.match(await refusal(clear()), note);
            serverAt("j1", [jump], [server]);
            assert.match(await refusal(clear()), note);
        });

        it("goes where its server goes meanwhile, as what a killed run left", async () => {
            there(orphan);
            serverAt("s1", [server]);
            let looks = 0;
            cloud().routes["GET /compute/servers/s1"] = () => {
                looks++;
                return looks < 2 ? { body: { server } } : { body: { server: { ...server, status: "DELETED" } } };
            };
            await clear(description, listener(), { bootTimeoutSeconds: 60 });
            assert.equal(changed().length, 1);
        });

        it("goes where the server was never started, or there is none", async () => {
            there(orphan);
            serverAt("s1", [{ ...server, "OS-SRV-USG:launched_at": null }]);
            await clear();
            serverAt("s1", []);
            await clear();
            assert.equal(changed().length, 2);
        });

        it("stays where the server has not our whole mark: it may be a node all the same", async () => {
            const { "pulumi-nfv.owner": _, ...asOfHeat } = mark;
            const jump = { ...server, id: "j1", metadata: { "pulumi-nfv.role": "jump" } };
            there(orphan);
            for (const metadata of [{}, asOfHeat, ...others]) {
                serverAt("s1", [{ ...server, metadata }]);
                assert.match(await refusal(clear()), note);
                serverAt("", [{ ...server, metadata }]);
                assert.match(await refusal(clear()), note);
            }
            serverAt("j1", [jump], []);
            assert.match(await refusal(clear()), note);
        });
    });

    it("is not asked for in another project", async () => {
        there(orphan);
        await assert.rejects(clear(description, listener(), { project: "p2" }), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});

describe("the address that a port is to have", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();

    const notOrphans = [
        ...others.map(other => ({ description: descriptionOf(other) })),
        { description: "" },
        { tags: ["keep"] },
        { device_owner: "compute:nova", device_id: "s1" },
    ];
    const orphan = { id: "p9", name: "core-api", device_id: "", device_owner: "", description, tags: [] as string[] };
    const there = (changes: object = {}, floatingips: object[] = []) => {
        const port = { ...orphan, ...changes };
        cloud().routes["GET /network/v2.0/ports"] = { ports: [port] };
        cloud().routes["GET /network/v2.0/ports/p9"] = { port };
        cloud().routes["GET /network/v2.0/floatingips"] = { floatingips };
        cloud().routes["DELETE /network/v2.0/ports/p9"] = () => ({ status: 204 });
    };
    const clear = (context = listener()) =>
        clearTheAddress({ networkId: "net-1", fixedIps: [{ ipAddress: "10.100.0.9" }], description }, owner, context);

    it("is free where no port has it: this is one question", async () => {
        cloud().routes["GET /network/v2.0/ports"] = { ports: [] };
        await clear();
        const [{ query } = assert.fail(), ...more] = calls();
        assert.deepEqual([query.get("network_id"), query.get("fixed_ips")], ["net-1", "ip_address=10.100.0.9"]);
        assert.deepEqual(more, []);
    });

    describe("where Neutron chooses", () => {
        const wanted = { name: "core-workers-1", networkId: "net-1", fixedIps: [{}], description };
        const clearAny = (context = listener()) => clearTheAddress(wanted, owner, context);

        it("leaves nothing that a killed run made under the port's name: it would keep the subnet", async () => {
            there();
            const context = listener();
            await clearAny(context);
            assert.match(context.warned[0], /\(p9\) of this cluster exists already/);
            assert.deepEqual(changed(), ["DELETE /network/v2.0/ports/p9"]);
            const [{ query } = assert.fail()] = calls();
            assert.deepEqual([query.get("network_id"), query.get("name")], ["net-1", "core-workers-1"]);
        });

        it("lets all others be, for they are in no way", async () => {
            for (const row of notOrphans.filter(each => !("device_id" in each))) {
                there(row);
                await clearAny();
            }
            there({}, [{ id: "f1" }]);
            await clearAny();
            assert.deepEqual(changed(), []);
        });

        it("stops where a server of this cluster uses it: with another port the server would be replaced", async () => {
            there({ device_owner: "compute:nova", device_id: "s1" });
            const attempt = clearTheAddress(wanted, owner, listener(), undefined, place);
            assert.match(
                await refusal(attempt),
                /in use by the server s1[\s\S]*pulumi import openstack:networking\/port:Port vnf-part p9 --parent 'parent=urn:core'/,
            );
        });

        it("stops where it is taken in hand meanwhile", async () => {
            there();
            cloud().routes["GET /network/v2.0/ports/p9"] = {
                port: { ...orphan, device_id: "s1", device_owner: "compute:nova" },
            };
            const said = await refusal(clearAny());
            assert.match(said, /exists already[\s\S]*openstack port delete p9/);
            assert.doesNotMatch(said, /another address/);
        });
    });

    it("is free again of what a killed run left", async () => {
        there({ tags });
        const context = listener();
        await clear(context);
        assert.match(context.warned[0], /"core-api" \(p9\) .* has the address 10\.100\.0\.9 already/);
        assert.deepEqual(changed(), ["DELETE /network/v2.0/ports/p9"]);
    });

    it("stays with a stranger's port, with one in use, and with one that a floating IP leads to", async () => {
        for (const row of notOrphans) {
            there(row);
            assert.match(
                await refusal(clear()),
                /has the address 10\.100\.0\.9 already[\s\S]*openstack port delete p9/,
            );
        }
        there({}, [{ id: "f1" }]);
        await refusal(clear());
    });

    it("stays with the port of the virtual address of a cluster that lives, which the state has lost", async () => {
        const servers = ["core-control-plane-1", "core-workers-1"];
        const wanted = { name: "core-api", networkId: "net-1", fixedIps: [{}], description };
        const clearApi = (changes: object = {}) =>
            clearTheApiAddress({ ...wanted, ...changes }, owner, listener(), { servers, place });
        const lives = (metadata: object) => {
            cloud().routes["GET /compute/servers/detail"] = ({ query }: { query: URLSearchParams }) => ({
                body: { servers: [{ id: "s1", name: query.get("name"), status: "ACTIVE", metadata }] },
            });
        };
        there();
        lives(mark);
        const note = /pulumi import openstack:networking\/port:Port vnf-part p9/;
        assert.match(await refusal(clearApi()), note);
        assert.match(await refusal(clearApi({ fixedIps: [{ ipAddress: "10.100.0.9" }] })), note);
        cloud().routes["GET /network/v2.0/ports"] = { ports: [] };
        assert.match(await refusal(clearApi()), /no port for it any more[\s\S]*openstack port create --network net-1/);
        await clearApi({ fixedIps: [{ ipAddress: "10.100.0.9" }] });
        for (const metadata of [{}, ...others]) {
            there();
            lives(metadata);
            assert.match(await refusal(clearApi()), note);
            cloud().routes["GET /network/v2.0/ports"] = { ports: [] };
            assert.match(await refusal(clearApi()), /no port for it any more/);
        }
        // A stack of this program, which is to become single resources, has its own virtual address.
        const { "pulumi-nfv.owner": _, ...asOfHeat } = mark;
        lives(asOfHeat);
        await clearApi();
        there();
        assert.match(await refusal(clearApi()), note);
        cloud().routes["GET /compute/servers/detail"] = { servers: [] };
        await clearApi();
        assert.deepEqual(changed(), ["DELETE /network/v2.0/ports/p9"]);
    });

    it("is looked at again at the moment of the deletion", async () => {
        there();
        cloud().routes["GET /network/v2.0/ports/p9"] = {
            port: { ...orphan, device_id: "s1", device_owner: "compute:nova" },
        };
        await refusal(clear());
        delete cloud().routes["GET /network/v2.0/ports/p9"];
        await clear();
        assert.deepEqual(changed(), []);
    });
});

describe("the port of the storage server", () => {
    const { cloud, refusal } = orphanCloud();
    const wanted = { name: "core-storage", networkId: "net-1", fixedIps: [{}], description };
    const serverWith = (metadata: object, addresses: object = {}) => {
        cloud().routes["GET /compute/servers/detail"] = {
            servers: [{ id: "s1", name: "core-storage", status: "ACTIVE", metadata, addresses }],
        };
        cloud().routes["GET /network/v2.0/ports"] = { ports: [] };
    };

    it("is not made a second time while the server exists: mounts would not follow to another address", async () => {
        serverWith(mark);
        assert.match(
            await refusal(keepTheStorageAddress(wanted, owner, listener(), place)),
            /"core-storage" \(s1\) exists, and the cloud has no port[\s\S]* storage\.server\.fixedAddress/,
        );
        assert.match(
            await refusal(keepTheStorageAddress(wanted, owner, listener(), { ...place, storageInputs: "" })),
            / server\.fixedAddress/,
        );
    });

    it("is noted again where the cloud has it, also where the program says an address", async () => {
        serverWith(mark);
        cloud().routes["GET /network/v2.0/ports"] = {
            ports: [{ id: "p9", name: "core-storage", device_id: "s1", device_owner: "compute:nova", description }],
        };
        for (const fixedIps of [[{}], [{ ipAddress: "10.100.0.200" }]]) {
            const said = await refusal(keepTheStorageAddress({ ...wanted, fixedIps }, owner, listener(), place));
            assert.match(said, /pulumi import openstack:networking\/port:Port vnf-part p9/);
        }
    });

    it("gets no other address than its server has", async () => {
        const addresses = { net: [{ addr: "10.100.0.7", "OS-EXT-IPS:type": "fixed" }] };
        serverWith(mark, addresses);
        const at = (ipAddress: string) =>
            keepTheStorageAddress({ ...wanted, fixedIps: [{ ipAddress }] }, owner, listener(), place);
        assert.match(await refusal(at("10.100.0.200")), /with the address 10\.100\.0\.7/);
        await at("10.100.0.7");
    });

    it("is not made a second time beside a server that has lost our mark", async () => {
        for (const metadata of [{}, ...others]) {
            serverWith(metadata);
            assert.match(
                await refusal(keepTheStorageAddress(wanted, owner, listener(), place)),
                /"core-storage" \(s1\) exists, and the cloud has no port/,
            );
        }
    });

    it("is made where there is no server, and where the program says the address", async () => {
        serverWith(mark);
        const fixedIps = [{ ipAddress: "10.100.0.9" }];
        await keepTheStorageAddress({ ...wanted, fixedIps }, owner, listener(), place);
        cloud().routes["GET /compute/servers/detail"] = { servers: [] };
        await keepTheStorageAddress(wanted, owner, listener(), place);
    });
});
