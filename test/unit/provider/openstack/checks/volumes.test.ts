import { finds, ref } from "./checking";

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
