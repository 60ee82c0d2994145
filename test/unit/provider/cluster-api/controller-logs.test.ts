import { deepStrictEqual } from "node:assert";
import { controllerErrors, errorsInLog } from "../../../../provider/cluster-api/controller-logs";
import { NfvError } from "../../../../provider/common/errors";
import type { KubeApi } from "../../../../provider/vim";

const isOwn = (_kind: string | undefined, name: string) => ["site", "site-md-a"].includes(name);
const line = (at: string, err: string, object = "site-md-a", namespace = "default") =>
    `2026-11-26T19:57:${at}Z E1126 19:57:${at}.1       1 controller.go:474] "Reconciler error" err=${JSON.stringify(err)} controller="openstackserver" ` +
    `controllerKind="OpenStackServer" OpenStackServer="${namespace}/${object}" namespace="${namespace}" name="${object}" reconcileID="1"`;
const event = (message: string, at: string, object = "site-md-a") => ({
    object: `OpenStackServer ${object}`,
    reason: "in the controller's log",
    message,
    at: `2026-11-26T19:57:${at}Z`,
});

describe("the errors in a controller's log", () => {
    for (const [title, log, expected] of [
        ["are the newest of each object", [line("16", "old"), line("31", "new")], [event("new", "31")]],
        ["keep quotes", [line("16", 'no flavor "m1.nothing"')], [event('no flavor "m1.nothing"', "16")]],
        ["are not those of other clusters", [line("16", "x", "other-md-a"), line("16", "x", "siteb")], []],
        ["are not those of other namespaces", [line("16", "x", "site-md-a", "prod")], []],
        [
            "are of the cluster's own object, too",
            [line("16", "401 Unauthorized", "site")],
            [event("401 Unauthorized", "16", "site")],
        ],
        [
            "are not two controllers that wrote at once",
            [line("16", "Operation cannot be fulfilled: the object has been modified")],
            [],
        ],
        ["are not lines of another level", [line("16", "x").replace(" E1126", " I1126")], []],
        [
            "are read from JSON, too",
            [
                `2026-11-26T19:57:16Z ${JSON.stringify({ msg: "Reconciler error", err: "no flavor", controllerKind: "OpenStackServer", namespace: "default", name: "site-md-a" })}`,
            ],
            [event("no flavor", "16")],
        ],
        [
            "are none in a line of another form",
            [
                `x ${JSON.stringify({ err: { code: 1 }, controllerKind: "Machine", namespace: "default", name: "site" })}`,
                `x ${JSON.stringify({ err: "a", controllerKind: "Machine", namespace: "default", name: 5 })}`,
            ],
            [],
        ],
        ["are none in a line that was cut off", ['2026-11-26T19:57:16Z {"msg":"Reconc', ""], []],
    ] as [string, string[], object[]][]) {
        it(title, () => deepStrictEqual(errorsInLog(log.join("\n"), "default", isOwn), expected));
    }

    describe("of all providers' pods", () => {
        const asked: string[] = [];
        const api = (log: () => string) =>
            ({
                get: async () => pods,
                text: async (path: string) => {
                    asked.push(path);
                    return log();
                },
            }) as unknown as KubeApi;
        const pods = {
            items: [
                {
                    metadata: { name: "capo-1", namespace: "capo-system" },
                    spec: { containers: [{ name: "side" }, { name: "manager" }] },
                },
            ],
        };

        it("are read from the container manager", async () => {
            deepStrictEqual(
                await controllerErrors(
                    api(() => line("16", "no flavor")),
                    "default",
                    isOwn,
                ),
                [event("no flavor", "16")],
            );
            deepStrictEqual(asked[0]!.split("?")[0], "/api/v1/namespaces/capo-system/pods/capo-1/log");
            deepStrictEqual(new URLSearchParams(asked.at(-1)!.split("?")[1]).get("container"), "manager");
        });

        it("are those of the pods that can be read: one may be on a node that is off", async () => {
            const [pod] = pods.items;
            const off = { ...pod!, metadata: { ...pod!.metadata, name: "capi-1" } };
            const some = {
                get: async () => ({ items: [off, pod] }),
                text: async (path: string) => {
                    if (path.includes("capi-1")) throw new NfvError({ code: "API_UNREACHABLE", cause: "no route" });
                    return line("16", "no flavor");
                },
            } as unknown as KubeApi;
            const found = await controllerErrors(some, "default", isOwn);
            deepStrictEqual(
                found.map(({ object, message }) => [object, message.slice(0, 40)]),
                [
                    ["pod capi-1", "no route"],
                    ["OpenStackServer site-md-a", "no flavor"],
                ],
            );
        });

        it("that may not be read are said to be so", async () => {
            const refuse = () => {
                throw new NfvError({ code: "API_REFUSED", cause: "pods is forbidden" });
            };
            const [{ object, reason, message }] = await controllerErrors(api(refuse), "default", isOwn);
            deepStrictEqual([object, reason], ["pod capo-1", "its log cannot be read"]);
            deepStrictEqual(message.includes("pods is forbidden"), true);
        });
    });
});
