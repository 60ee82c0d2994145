import { existsSync } from "node:fs";
import type * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../provider/common/did-you-mean";
import { type HookEvent, hookEvents } from "../../provider/operation/hooks/events";
import type { HookArgs } from "../args/hook-args";
import type { PlainArgs } from "../common/plain-args";
import { dnsLabel, type Problem, type Rule, within } from "./rule";

type Hook = pulumi.Unwrap<HookArgs>;

const ways = ["module", "script", "manifests", "tacker"] as const;

/** Hooks that need the cluster cannot run before it is there, nor after it is gone. */
const withoutCluster: readonly HookEvent[] = [
    "instantiateStart",
    "instantiateRollbackStart",
    "instantiateRollbackEnd",
    "terminateEnd",
];

export const hookRules: Rule<PlainArgs> = args => {
    const hooks = (args.hooks ?? []) as readonly Hook[];
    const names = hooks.map(({ name }) => name);
    const pools = Object.keys(args.pools ?? {});
    return hooks.flatMap((hook, i) => {
        const at = `hooks.${i}`;
        const isTwice = names.indexOf(hook.name) !== i;
        return [
            ...(isTwice ? [[`${at}.name`, `there is another hook "${hook.name}"`] satisfies Problem] : []),
            ...hookProblems(at, hook, pools),
        ];
    });
};

function hookProblems(at: string, hook: Hook, pools: readonly string[]): Problem[] {
    const { name, events, nodes, action, timeoutSeconds = 600, retries = 0 } = hook;
    const given = ways.filter(way => hook[way] !== undefined);
    if (given.length !== 1)
        return [[at, `needs exactly one of ${ways.join(", ")}; it has ${given.join(", ") || "none"}`]];
    const [way] = given as [(typeof ways)[number]];
    const rows: [isRight: boolean, place: string, problem: string][] = [
        [
            dnsLabel.test(name) && name.length <= 40,
            `${at}.name`,
            `"${name}" is not allowed: lower-case letters, digits and -, at most 40 characters`,
        ],
        [
            way === "module" || way === "tacker" || (events ?? []).length > 0,
            `${at}.events`,
            `is missing: a ${way === "script" ? "script" : "manifest"} does not say when it runs`,
        ],
        [nodes === undefined || way === "script", `${at}.nodes`, "is for a script only"],
        [action === undefined || way === "manifests", `${at}.action`, "is for manifests only"],
        [
            action === undefined || ["apply", "delete"].includes(action),
            `${at}.action`,
            `"${action}" is not allowed: "apply" or "delete"`,
        ],
        [
            within(timeoutSeconds, 1, 86_400),
            `${at}.timeoutSeconds`,
            `${timeoutSeconds} is not allowed: a whole number from 1 to 86400`,
        ],
        [within(retries, 0, 100), `${at}.retries`, `${retries} is not allowed: a whole number from 0 to 100`],
        [way !== "manifests" || hook.manifests!.length > 0, `${at}.manifests`, "is empty"],
    ];
    return [
        ...rows.flatMap(([isRight, place, problem]): Problem[] => (isRight ? [] : [[place, problem]])),
        ...(events ?? []).flatMap((event, i) => eventProblems(`${at}.events.${i}`, event, way, nodes !== undefined)),
        ...(nodes === undefined ? [] : nodeProblems(`${at}.nodes`, nodes, pools)),
        ...filesOf(hook).flatMap(([place, file]): Problem[] =>
            existsSync(file)
                ? []
                : [[`${at}.${place}`, `there is no ${file}; relative paths start from ${process.cwd()}`]],
        ),
    ];
}

function eventProblems(at: string, event: string, way: (typeof ways)[number], onNodes: boolean): Problem[] {
    if (!(hookEvents as readonly string[]).includes(event))
        return [
            [
                at,
                `there is no event "${event}"${didYouMean(event, hookEvents)} The events are ${hookEvents.join(", ")}`,
            ],
        ];
    const needsCluster = way === "manifests" || onNodes;
    if (!needsCluster || !withoutCluster.includes(event as HookEvent)) return [];
    return [
        [
            at,
            `there is no cluster at ${event}, ${onNodes ? "so no node of it" : "so nothing can be applied to it"}: use a module, or a script on this machine`,
        ],
    ];
}

function nodeProblems(at: string, { role, pool }: NonNullable<Hook["nodes"]>, pools: readonly string[]): Problem[] {
    const rows: [isRight: boolean, place: string, problem: string][] = [
        [
            role === undefined || ["controlPlane", "worker"].includes(role),
            `${at}.role`,
            `"${role}" is not allowed: "controlPlane" or "worker"`,
        ],
        [
            pool === undefined || pools.includes(pool),
            `${at}.pool`,
            `there is no pool "${pool}"${didYouMean(pool ?? "", pools) || `; the pools are ${pools.join(", ") || "none"}`}`,
        ],
        [pool === undefined || role !== "controlPlane", `${at}.pool`, "has workers only; role says controlPlane"],
    ];
    return rows.flatMap(([isRight, place, problem]): Problem[] => (isRight ? [] : [[place, problem]]));
}

/** The files and folders that a hook names, with their places in it. */
export function filesOf({ module, script, manifests = [], tacker }: Hook): [place: string, file: string][] {
    return [
        ...(module === undefined ? [] : [["module", module] as [string, string]]),
        ...(script === undefined ? [] : [["script", script] as [string, string]]),
        ...manifests.map((file, i): [string, string] => [`manifests.${i}`, file]),
        ...(tacker === undefined ? [] : [["tacker.package", tacker.package] as [string, string]]),
        ...(tacker?.newPackage === undefined ? [] : [["tacker.newPackage", tacker.newPackage] as [string, string]]),
    ];
}
