import { NfvError } from "../errors";

/** What the cloud says of a server. */
export interface ServerSight {
    id: string;
    /** There is no such server. */
    gone?: boolean;
    name?: string;
    /** ACTIVE, BUILD, ERROR, SHUTOFF, … */
    status?: string;
    /** What is being done with it: spawning, networking, block_device_mapping, … */
    task?: string;
    fault?: string;
    /** Last lines of the console. */
    console?: string;
}

/** Whether waiting for a server has sense. */
export type ServerVerdict = "running" | "wait" | "hopeless";

const verdicts: Record<string, ServerVerdict> = {
    ACTIVE: "running",
    BUILD: "wait",
    REBUILD: "wait",
    REBOOT: "wait",
    HARD_REBOOT: "wait",
    PASSWORD: "wait",
    RESIZE: "wait",
    VERIFY_RESIZE: "running",
    MIGRATING: "wait",
    UNKNOWN: "wait",
};

/** ERROR, SHUTOFF, DELETED, PAUSED, … do not become ACTIVE by themselves. */
export function verdictOf({ gone, status = "" }: ServerSight): ServerVerdict {
    return gone ? "hopeless" : (verdicts[status] ?? "hopeless");
}

/** Heat has no resource for each server in the state; Nova's plug-in keeps a server in ERROR at a refresh. */
const newServer =
    "Then make a new one: with nova pulumi up --replace <urn of the server>, with heat pulumi up --refresh.";

/** What to do, by what is seen. */
const hints: { when: (sight: ServerSight) => boolean; hint: string }[] = [
    {
        when: ({ gone }) => gone === true,
        hint: "Somebody deleted it: pulumi up --refresh makes a new one.",
    },
    {
        when: ({ fault = "" }) => /no valid host/i.test(fault),
        hint: `The cloud found no host for it: check free capacity, availability zone, and a strict anti-affinity policy. ${newServer}`,
    },
    {
        when: ({ status }) => status === "ERROR" || status === "DELETED" || status === "SOFT_DELETED",
        hint: `It does not come back by itself. Correct the cause. ${newServer}`,
    },
    {
        when: ({ status }) => status === "SHUTOFF" || status === "PAUSED" || status === "SUSPENDED",
        hint: "Start it (openstack server start …) and run pulumi up again.",
    },
    {
        when: ({ status }) => status === "ACTIVE",
        hint: "It runs: check its console above, that the image has cloud-init and sshd, the security groups, and the way to it (floating IP, router, jump host).",
    },
    {
        when: ({ status }) => status === "BUILD",
        hint: "The cloud still builds it: run pulumi up again later, or ask the cloud's operator.",
    },
];

/** Why a server did not come up: state, fault and the end of its console. `seen` is what was tried from outside. */
export function serverError(node: string, sight: ServerSight, waitedSeconds: number, seen?: string): NfvError {
    const { id, gone, status, task, fault, console } = sight;
    const lines = [
        gone
            ? `there is no server ${id} any more`
            : `the server ${id} is ${status}${task === undefined ? "" : ` (${task})`} after ${Math.round(waitedSeconds)} s`,
        ...(fault === undefined ? [] : [`fault: ${fault}`]),
        ...(seen === undefined ? [] : [seen]),
        ...(console === undefined ? [] : ["end of its console:", ...console.split("\n").map(line => `| ${line}`)]),
    ];
    return new NfvError({
        code: "SERVER_FAILED",
        node,
        cause: lines.join("\n"),
        hint: hints.find(({ when }) => when(sight))?.hint,
        output: console,
    });
}
