import assert from "node:assert/strict";
import { refuseSecondAttachment } from "../../../../../provider/cloud/orphans/orphan-attachments";
import { listener } from "../../support/cluster";
import { mark, orphanCloud, owner } from "../../support/orphan-cloud";

describe("a volume that is to be attached", () => {
    const { cloud, calls, refusal } = orphanCloud();
    const there = (...servers: string[]) => {
        const attachments = servers.map(server_id => ({ server_id }));
        cloud().routes["GET /block-storage/volumes/v1"] = { volume: { id: "v1", name: "core-w1-data", attachments } };
    };
    const attach = (provider?: string, project = "p1") =>
        refuseSecondAttachment(
            { instanceId: "i1", volumeId: "v1" },
            { ...owner, project },
            { name: "vnf-w1-data", parent: "urn:a$b::vnf", ...(provider !== undefined && { provider }) },
            listener(),
        );

    it("is attached where it is not yet: this is one question", async () => {
        there();
        await attach();
        there("i2");
        await attach();
        assert.equal(calls().length, 2);
    });

    it("is never taken from the server that has it: the user gets the command that notes it", async () => {
        there("i1");
        const text = await refusal(attach());
        assert.match(
            text,
            /import openstack:compute\/volumeAttach:VolumeAttach vnf-w1-data i1\/v1 --parent 'parent=urn:a\$b::vnf' --protect=false/,
        );
        assert.match(text, /openstack server remove volume i1 v1/);
        assert.match(await refusal(attach("urn:p")), /::vnf' --provider 'provider=urn:p' --protect=false/);
    });

    it("is not noted under the name of a given volume where the program made it: the state may have it under its own", async () => {
        const volumeId = "5c1d0000-1111";
        const volume = { id: volumeId, name: "core-storage-data", attachments: [{ server_id: "i1" }] };
        const look = (metadata: object, more: object = {}) => {
            cloud().routes[`GET /block-storage/volumes/${volumeId}`] = { volume: { ...volume, metadata } };
            const place = { name: "vnf-storage-data-5c1d0000", parent: "urn:core", ...more };
            return refusal(refuseSecondAttachment({ instanceId: "i1", volumeId }, owner, place, listener()));
        };
        const own = await look({ ...mark, "pulumi-nfv.volume": "data" });
        assert.match(own, /leave storage\.volumes\.data\.volumeId out/);
        assert.doesNotMatch(own, /import|remove volume/);
        const ofItsOwn = await look({ ...mark, "pulumi-nfv.volume": "data" }, { storageInputs: "" });
        assert.match(ofItsOwn, /leave volumes\.data\.volumeId out/);
        assert.match(await look({}), /pulumi import openstack:compute\/volumeAttach:VolumeAttach/);
    });

    it("is not asked for in another project", async () => {
        there("i1");
        await assert.rejects(attach(undefined, "p2"), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});
