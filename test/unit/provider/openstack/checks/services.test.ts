import { finds } from "./checking";

describe("the checks of the cloud's services", () => {
    finds([
        [
            "no Heat",
            (n, f) => {
                n.backEnd = "heat";
                f.services = f.services.filter(s => s !== "orchestration");
            },
            /^service-missing @ infrastructure.heat: the cloud has no orchestration service.* \| Use infrastructure.nova/,
        ],
        [
            "no volumes",
            (_, f) => {
                f.services = f.services.filter(s => s !== "block-storage");
            },
            /^service-missing @ infrastructure.nova: the cloud has no block-storage service, which is needed for volumes/,
        ],
        [
            "a Nova too old for the policy",
            (_, f) => {
                f.computeVersion = "2.9";
            },
            /^version-too-old @ serverGroup: the policy soft-anti-affinity needs Nova's API 2.15; this cloud has 2.9/,
        ],
    ]);
});
