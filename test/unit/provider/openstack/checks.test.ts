import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/contract/values";
import { problemText } from "../../../../provider/openstack/checks";
import { type Change, compute, problems, ref } from "./checks/checking";
import { owner, tags } from "./sample-cloud";

/** Changes after which no check fails. */
const well: [string, Change][] = [
    ["a cloud that has everything, with exactly so much quota", () => {}],
    [
        "no limits",
        (_, f) => {
            for (const key of Object.keys(compute(f))) if (key.startsWith("max")) compute(f)[key] = -1;
            f.quota!.network!["port"]!.limit = -1;
        },
    ],
    [
        "ids instead of names",
        n => {
            n.servers[0]!.flavor.name = "3";
            n.servers[0]!.networks[0]!.network!.name = "n1";
            n.externalNetwork!.name = "n2";
        },
    ],
    [
        "a flavor whose disk is as large as the image",
        (_, f) => {
            f.flavors![1]!.disk = 0;
        },
    ],
    [
        "a shared network of another project, whose router is not shown",
        (n, f) => {
            f.networks![0]!.project_id = "p2";
            f.ports = f.ports!.filter(p => p.name !== "router");
            f.routers = [];
            n.routers = [];
        },
    ],
    [
        "a floating IP that exists",
        (n, f) => {
            n.floatingIps![0]!.address = "172.24.4.100";
            f.quota!.network!["floatingip"]!.limit -= 1;
        },
    ],
    [
        "values that are not known yet",
        (n, f) => {
            n.servers[0]!.flavor.name = unknownValue;
            n.servers[0]!.image!.name = unknownValue;
            n.servers[0]!.networks[0]!.network!.name = unknownValue;
            n.podCidr!.name = unknownValue;
            n.externalNetwork!.name = unknownValue;
            f.images = { "debian-12": f.images!["debian-12"]! };
        },
    ],
    [
        "what the cloud does not say",
        (_, f) => {
            for (const key of Object.keys(f))
                if (!["services", "owners", "unasked", "projectId"].includes(key)) delete (f as any)[key];
        },
    ],
    [
        "our own address",
        (n, f) => {
            n.vip!.address = "10.20.0.11";
            f.ports![2] = { ...f.ports![2]!, tags } as never;
        },
    ],
    [
        "our own stack",
        (n, f) => {
            n.stack = ref("core");
            f.stack = { id: "st", stack_name: "core", stack_status: "CREATE_FAILED", stack_status_reason: "", tags };
        },
    ],
    [
        "a stack that bears no owner yet, after the first run",
        (n, f) => {
            n.stack = ref("core");
            f.owners.push(owner);
            f.stack = {
                id: "st",
                stack_name: "core",
                stack_status: "CREATE_FAILED",
                stack_status_reason: "",
                tags: null,
            };
        },
    ],
    [
        "the cluster's key pair after its first run",
        (_, f) => {
            f.keyPairs!.push("core");
            f.owners.push(owner);
            compute(f)["maxTotalKeypairs"]! = 2;
        },
    ],
];

describe("what is checked of a cloud before anything is made", () => {
    for (const [what, change] of well) {
        it(`finds nothing wrong with ${what}`, () => assert.deepEqual(problems(change), []));
    }

    it("says the same thing of many servers once, and all things at once", () => {
        const many: Change = (n, f) => {
            n.servers = Array.from({ length: 50 }, () => ({
                ...n.servers[1]!,
                flavor: ref("none", "pools.workers.flavor"),
            }));
            n.keyPair = ref("mine", "keyPair");
            f.quota = {};
            f.ports = undefined;
            f.subnets = undefined;
        };
        const ids = problems(many).map(text => text.split(" ")[0]);
        assert.deepEqual(ids, ["flavor-unknown", "key-pair-unknown"]);
    });

    it("is one line a problem: place, what is wrong, what would be right", () => {
        const text = problemText([
            { id: "a", path: "x.y", message: "wrong", hint: "Right it." },
            { id: "b", path: "z", message: "gone" },
        ]);
        assert.equal(text, "x.y: wrong. Right it.\nz: gone");
    });
});
