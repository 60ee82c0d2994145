import { NfvError } from "../common/errors";

/** The cloud's view of a server. */
export interface ServerSight {
    id: string;
    /** The server does not exist. */
    gone?: boolean;
    name?: string;
    /** ACTIVE, BUILD, ERROR, SHUTOFF, … */
    status?: string;
    /** The current task: spawning, networking, block_device_mapping, … */
    task?: string;
    fault?: string;
    /** Last lines of the console. */
    console?: string;
}

/** Whether it makes sense to wait for a server. */
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

/** ERROR, SHUTOFF, DELETED, PAUSED, … never become ACTIVE by themselves. */
export function verdictOf({ gone, status = "" }: ServerSight): ServerVerdict {
    return gone ? "hopeless" : (verdicts[status] ?? "hopeless");
}

/** With Heat, the state has no resource per server. Nova's plug-in keeps a server in ERROR at a refresh. */
const newServer =
    "Then make a new one: with nova pulumi up --replace <urn of the server>, with heat pulumi up --refresh.";

/** The hint for what was observed. */
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

/** Why a server did not come up: state, fault and the end of its console. `seen`: the result of connecting to it. */
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
