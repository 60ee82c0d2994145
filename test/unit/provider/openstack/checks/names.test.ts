import { owner } from "../sample-cloud";
import { finds, ref, server } from "./checking";

describe("the checks of names that are taken", () => {
    finds([
        [
            "a server of this name that is not ours",
            (_, f) => {
                f.servers!.push(server("core-workers-1", { metadata: {} }));
            },
            /^server-name-taken @ name: a server "core-workers-1" exists already and is not this cluster's \(id-core-workers-1, ACTIVE\)/,
        ],
        [
            "a server of this name of the same cluster in another Pulumi stack",
            (_, f) => {
                f.servers!.push(
                    server("core-workers-1", { metadata: { ...owner, "pulumi-nfv.stack": "project/prod" } }),
                );
            },
            /^server-name-taken .* exists already and is that of the cluster "core" of the Pulumi program project\/prod, not this cluster's/,
        ],
        [
            "a stack of this name that is not ours",
            (n, f) => {
                n.stack = ref("core", "stackName");
                f.stack = {
                    id: "st",
                    stack_name: "core",
                    stack_status: "CREATE_COMPLETE",
                    stack_status_reason: "",
                    tags: null,
                };
            },
            /^stack-name-taken @ stackName: a stack "core" exists already and is not this cluster's \(st, CREATE_COMPLETE\)/,
        ],
        [
            "a key pair of the cluster's name before its first run",
            (_, f) => {
                f.keyPairs!.push("core");
            },
            /^key-pair-name-taken @ name/,
        ],
    ]);
});
