import assert from "node:assert/strict";
import type { Volume } from "../../../../../provider/openstack/cinder";
import { type Change, finds, problems, ref, server } from "./checking";

describe("the checks of volumes", () => {
    finds([
        [
            "an unknown volume type",
            n => {
                n.servers[0]!.volumes![0]!.type = ref("sdd", "type");
            },
            /^volume-type-unknown @ type: .* \| Did you mean "ssd"/,
        ],
        [
            "a volume larger than the quota of one",
            (_, f) => {
                f.quota!.volume!["per_volume_gigabytes"] = { limit: 9, used: 0 };
            },
            /^volume-too-large @ volumes.data: a volume of 10 GiB is wanted; the quota allows 9/,
        ],
    ]);
});

describe("the checks of volumes that the program names by id", () => {
    const id = "5c1d0e7a-0000-4000-8000-000000000001";
    const path = "storage.volumes.data";
    const volume = (more: Partial<Volume> = {}): Volume => ({
        ...{ id, name: "core-storage-data", status: "available", size: 2, metadata: {}, attachments: [] },
        ...more,
    });
    const with_ =
        (volumes: Volume[], servers: object[] = []): Change =>
        (needs, facts) => {
            needs.servers[0]!.givenVolumes = [{ id: ref(id, `${path}.volumeId`), sizeGiB: 2, path }];
            facts.volumes!.push(...volumes);
            facts.servers!.push(...(servers as typeof facts.servers & object[]));
        };
    const at = (server_id: string) => volume({ status: "in-use", attachments: [{ server_id }] });
    const first = "core-control-plane-1";

    it("find nothing where it is free, or at the cluster's own server", () => {
        assert.deepEqual(problems(with_([volume()])), []);
        assert.deepEqual(problems(with_([at(`id-${first}`)], [server(first)])), []);
    });

    it("find nothing at a running server, whatever the cloud does with its volume, and where servers cannot be listed", () => {
        const own = { attachments: [{ server_id: `id-${first}` }] };
        for (const status of ["backing-up", "retyping", "error_extending"])
            assert.deepEqual(problems(with_([volume({ ...own, status })], [server(first)])), [], status);
        const unlisted: Change = (needs, facts) => {
            with_([volume({ ...own, status: "in-use" })])(needs, facts);
            delete facts.servers;
        };
        assert.deepEqual(
            problems(unlisted).filter(each => each.startsWith("volume")),
            [],
        );
    });

    finds([
        [
            "one that does not exist, with those of the cluster's name",
            with_([volume({ id: "other", name: `${first}-data` })]),
            new RegExp(
                `^volume-unknown @ ${path}.volumeId: there is no volume ${id} in this project \\| .*"${first}-data": other`,
            ),
        ],
        [
            "one that another server has, with its name",
            with_([at("id-theirs")], [server("theirs")]),
            new RegExp(
                `^volume-attached @ ${path}.volumeId: .* is attached to the server "theirs" \\(id-theirs\\), and a volume is never`,
            ),
        ],
        [
            "one that a server of the same name has which is not ours",
            with_([at("id-stranger")], [server(first, { id: "id-stranger", metadata: {} })]),
            /^volume-attached @ .*id-stranger/,
        ],
        [
            "one that a server has which this user does not see",
            with_([at("hidden")]),
            /^volume-attached @ .* attached to the server hidden,/,
        ],
        [
            "one in a state that no attachment leaves",
            with_([volume({ status: "error" })]),
            /^volume-unusable @ .*its status is error/,
        ],
        [
            "one that is smaller than the program says",
            with_([volume({ size: 1 })]),
            new RegExp(
                `^volume-too-small @ ${path}.sizeGiB: .* has 1 GiB, and 2 are wanted \\| .*extended in the cloud first`,
            ),
        ],
    ]);
});
