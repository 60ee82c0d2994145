import assert from "node:assert/strict";
import {
    refuseSecondVolume,
    refuseShrinking,
    refuseVolumeInUse,
} from "../../../../../provider/cloud/orphans/orphan-volumes";
import { listener } from "../../support/cluster";
import { mark, orphanCloud, owner, place } from "../../support/orphan-cloud";

describe("a volume of a storage server", () => {
    const { cloud, refusal } = orphanCloud();
    const marks = { ...mark, "pulumi-nfv.volume": "data" };
    const wanted = { name: "core-storage-data", metadata: marks };
    const there = (changes: { name?: string; metadata?: Record<string, string> } = {}) => {
        const volume = { id: "v1", name: wanted.name, size: 5, status: "available", metadata: marks, ...changes };
        cloud().routes["GET /block-storage/volumes/detail"] = { volumes: [volume] };
    };
    const look = (project = "p1") => refuseSecondVolume(wanted, { ...owner, project }, place, listener());

    it("is made where this cluster has none of its name", async () => {
        there({ name: "core-storage-logs" });
        await look();
        for (const key of ["pulumi-nfv.cluster", "pulumi-nfv.stack", "pulumi-nfv.volume"]) {
            there({ metadata: { ...marks, [key]: "other" } });
            await look();
        }
    });

    it("is not made a second time where a former state with another key had made it: the error has its id", async () => {
        there({ metadata: { ...marks, "pulumi-nfv.owner": "of a former state" } });
        const text = await refusal(look());
        assert.match(text, /v1 \(5 GiB, available\)/);
        assert.match(text, / storage\.volumes\.data\.volumeId: "v1"/);
        const ofItsOwn = { ...place, storageInputs: "" };
        const other = await refusal(refuseSecondVolume(wanted, owner, ofItsOwn, listener()));
        assert.match(other, / volumes\.data\.volumeId: "v1"/);
    });

    it("is noted again where this state had it: with volumeId the end of its former attachment would pull it from the server", async () => {
        there();
        const text = await refusal(look());
        assert.match(text, /pulumi import openstack:blockstorage\/volume:Volume vnf-part v1 --parent/);
        assert.doesNotMatch(text, /volumeId|volume delete/);
    });

    it("may stay beside the one that a snapshot brings back, under another name that the error gives", async () => {
        const look = () => refuseSecondVolume({ ...wanted, snapshotId: "s1" }, owner, place, listener());
        there();
        const command = "openstack volume set --name core-storage-data-v1 v1";
        for (const metadata of [marks, { ...marks, "pulumi-nfv.owner": "of a former state" }]) {
            there({ metadata });
            assert.ok((await refusal(look())).includes(command));
        }
        there({ name: "core-storage-data-v1" });
        await look();
    });

    it("is not asked for in another project, where it would seem to be missing", async () => {
        await assert.rejects(look("p2"), /lives in the project p2/);
    });

    it("grows, and never shrinks", () => {
        refuseShrinking({ name: wanted.name, size: 5 }, { size: 5 });
        refuseShrinking({ name: wanted.name, size: 5 }, { size: 6 });
        assert.throws(() => refuseShrinking({ name: wanted.name, size: 5 }, { size: 4 }), /from 5 to 4 GiB/);
    });
});

describe("a data volume of a node", () => {
    const { cloud, refusal } = orphanCloud();
    const look = () => refuseVolumeInUse({ name: "core-workers-1-data" }, owner, place, listener());
    const there = (status: string, metadata: object, attachments: object[] = []) => {
        const volume = { id: "v1", name: "core-workers-1-data", size: 5, status, metadata, attachments };
        cloud().routes["GET /block-storage/volumes/detail"] = { volumes: [volume] };
    };

    it("is not made a second time while a server uses the first: it would be detached under its software", async () => {
        there("in-use", mark);
        assert.match(
            await refusal(look()),
            /"core-workers-1-data" \(v1\)[\s\S]*pulumi import openstack:blockstorage\/volume:Volume/,
        );
    });

    it("counts as used while it is attached, whatever else is done with it", async () => {
        for (const status of ["backing-up", "extending", "maintenance"]) {
            there(status, mark, [{ server_id: "s1" }]);
            await refusal(look());
        }
    });

    it("is made beside one that nobody uses, and beside those of others", async () => {
        there("available", mark);
        await look();
        there("in-use", { ...mark, "pulumi-nfv.cluster": "other" });
        await look();
    });
});
