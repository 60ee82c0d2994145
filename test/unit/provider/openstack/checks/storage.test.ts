import assert from "node:assert/strict";
import type { BackEnd } from "../../../../../provider/openstack/requirements";
import { type Change, finds, problems, ref, server } from "./checking";

const name = "core-storage";
/** The cluster had `former`, and has a storage server in the program. */
const moved =
    (kept: "in the stack" | "beside the stack", backEnd: BackEnd, more: object = {}): Change =>
    (needs, facts) => {
        needs.backEnd = backEnd;
        needs.servers.push({ name, role: "other", isStorage: true, flavor: ref("small"), networks: [] });
        facts.kept = kept;
        facts.servers!.push(server(name, more) as never);
    };

describe("the checks of storage", () => {
    finds([
        [
            "volumes at the server of another back end",
            moved("beside the stack", "nova"),
            /^storage-moves @ storage\.server: the storage server "core-storage" of the former back end has the volumes.*infrastructure\.heat as it was/,
        ],
        [
            "the same the other way round",
            moved("in the stack", "heat"),
            /^storage-moves @ storage\.server: .*infrastructure\.nova as it was.*volumeId and owner/,
        ],
    ]);

    it("accept another back end where no storage server is yet, or another cluster's", () => {
        const other = { "pulumi-nfv.cluster": "other", "pulumi-nfv.stack": "shop/dev" };
        const change: Change = (needs, facts) => {
            moved("beside the stack", "nova", { metadata: other })(needs, facts);
        };
        assert.deepEqual(
            problems(change).filter(text => text.startsWith("storage-moves")),
            [],
        );
    });
});
