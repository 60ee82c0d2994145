import { match, strictEqual } from "node:assert/strict";
import type { Condition, Seen, WorkloadSeen } from "../../../../provider/cluster-api/workload-seen";
import { whatHinders, workloadState } from "../../../../provider/cluster-api/workload-state";

const is = (type: string, status = "True", more: Partial<Condition> = {}): Condition => ({
    type,
    status,
    observedGeneration: 2,
    ...more,
});
const object = (kind: string, name: string, status: Seen["status"], spec: Seen["spec"] = {}): Seen => ({
    kind,
    metadata: { name, generation: 2, uid: name },
    spec,
    status,
});
const set = (kind: string, name: string, replicas: number, changes: object = {}): Seen =>
    object(
        kind,
        name,
        {
            ...{ observedGeneration: 2, replicas, readyReplicas: replicas, upToDateReplicas: replicas },
            conditions: [is("Available"), is("RollingOut", "False")],
            ...changes,
        },
        { replicas },
    );
const whole = (): WorkloadSeen => ({
    cluster: object("Cluster", "w1", { conditions: [is("Available")] }),
    controlPlane: set("KubeadmControlPlane", "w1-control-plane", 1),
    pools: [set("MachineDeployment", "w1-md", 2)],
    machines: [object("Machine", "w1-md-a", { conditions: [is("Ready")] })],
    warnings: [],
});

describe("a workload cluster", () => {
    it("is ready when all of its machines are of the newest kind and ready", () => {
        const { ready, text } = workloadState(whole());
        strictEqual(ready, true);
        strictEqual(text, "control plane 1 of 1, pool md 2 of 2; all machines are ready");
    });

    for (const [title, change, text] of [
        ["does not exist", { cluster: undefined }, /does not exist yet/],
        [
            "has a former generation's conditions",
            { cluster: object("Cluster", "w1", { conditions: [is("Available", "True", { observedGeneration: 1 })] }) },
            /Cluster w1 is not Available/,
        ],
        [
            "has a control plane whose controller has not seen the new version",
            { controlPlane: set("KubeadmControlPlane", "w1-control-plane", 1, { observedGeneration: 1 }) },
            /its controller has not seen it yet/,
        ],
        [
            "rolls out",
            {
                pools: [
                    set("MachineDeployment", "w1-md", 2, {
                        conditions: [
                            is("Available"),
                            is("RollingOut", "True", { reason: "RollingOut", message: "1 of 2\n* not up to date" }),
                        ],
                    }),
                ],
            },
            /MachineDeployment w1-md: RollingOut: RollingOut: 1 of 2 not up to date/,
        ],
        ["misses a machine", { pools: [set("MachineDeployment", "w1-md", 2, { readyReplicas: 1 })] }, /1 of 2/],
        ["has one machine too many", { pools: [set("MachineDeployment", "w1-md", 2, { replicas: 3 })] }, /2 of 2/],
        [
            "has a machine that leaves",
            {
                machines: [
                    {
                        ...object("Machine", "w1-md-b", {}),
                        metadata: { name: "w1-md-b", deletionTimestamp: "2026-01-01T00:00:00Z" },
                    },
                ],
            },
            /Machine w1-md-b leaves/,
        ],
    ] as [string, Partial<WorkloadSeen>, RegExp][]) {
        it(`is not ready when it ${title}`, () => {
            const state = workloadState({ ...whole(), ...change });
            strictEqual(state.ready, false);
            match(state.text, text);
        });
    }

    it("hinders: conditions of each object, and the cloud's words from events, the newest first", () => {
        const seen: WorkloadSeen = {
            ...whole(),
            machines: [
                object("Machine", "w1-md-a", {
                    conditions: [
                        is("InfrastructureReady", "False", {
                            reason: "InstanceCreateFailed",
                            message: "no flavor m1.huge",
                        }),
                    ],
                }),
            ],
            warnings: [
                { object: "OpenStackMachine w1-md-a", reason: "Old", message: "before", at: "2026-01-01T00:00:00Z" },
                {
                    object: "OpenStackMachine w1-md-a",
                    reason: "FailedCreateServer",
                    message: "Flavor not found",
                    at: "2026-01-01T00:01:00Z",
                },
            ],
        };
        const lines = whatHinders(seen).split("\n");
        strictEqual(lines[0], "Machine w1-md-a: InfrastructureReady is False: InstanceCreateFailed: no flavor m1.huge");
        strictEqual(lines[1], "OpenStackMachine w1-md-a said: FailedCreateServer: Flavor not found");
    });
});
