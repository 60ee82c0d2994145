import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../provider/common/errors";
import type { StateResource } from "../../tools/check/stack-state";
import type { Verdict } from "../../tools/check/verdict";
import type { PipelineEvent, VersionEvent } from "../events/events";
import { bundleFolder, bundlesLike, refuseOtherBundle, versionMark } from "../plan/bundles";
import { behind, chainRefusal, mayMoveTo, type Standing, standings, versionsLeft } from "../plan/chain";
import { type Order, upgrade } from "../plan/order";
import { cloudPartsBelow, partsBelow } from "../plan/parts-below";
import { isEmpty } from "../plan/plan";
import { cancelled, errorEvent } from "../report/failure";
import type { RunOptions, RunResult } from "./operate";

/** Another version of Kubernetes, over minors between if they are named. */
export interface UpgradeTarget {
    /** "1.35.4" */
    to: string;
    /** Versions on the way, in order: one of each minor between. @default none: the next minor at most */
    through?: readonly string[];
    /**
     * Folder of the bundle, as the program would have it in `kubernetes.source.bundle.path`; `{version}` stands for the version: `"./bundle-{version}"`. The program needs
     * `fromConfig` for it. @default the program says where the bundle is
     */
    bundle?: string;
}

/** What a chain needs of its stack. */
export interface Chained {
    /** Folder that paths of bundles are relative to. */
    folder: string;
    state(): Promise<StateResource[]>;
    /** Of the stack's configuration. */
    setting(path: readonly string[]): unknown;
    /** One operation from its begin to its end. */
    operate(order: Order, options: RunOptions, tell: (event: PipelineEvent) => void): Promise<RunResult>;
    check(): Promise<{ verdict: Verdict; found: readonly { node: string; text: string }[] }>;
}

/** How often and how long the cluster is asked whether it is well, in milliseconds. Tests set less. */
export const wellness = { pause: 10_000, most: 300_000 };

/**
 * Upgrades version by version, each with its preview, guards and checks, and goes on when the cluster is well. Called again, it goes on where it was; an upgrade
 * that was stopped is ended first. A single version is one upgrade.
 * @throws INVALID_INPUT before any change; UPGRADE_REFUSED if the next version must not begin; the errors of an upgrade, with where the cluster stands
 */
export async function operateChain(
    site: Chained,
    target: UpgradeTarget,
    options: RunOptions,
    tell: (event: PipelineEvent) => void,
): Promise<RunResult> {
    // An operation tells its errors itself.
    const told = (error: unknown) => {
        if (error instanceof NfvError) tell(errorEvent(error));
        return error;
    };
    const { orders, isChain } = await ordersOf(site, target, options).catch(error => {
        throw told(error);
    });
    if (!isChain) return site.operate(orders[0]!, options, tell);
    let result: RunResult | undefined;
    for (const [at, order] of orders.entries()) {
        const { version = "", followedBy = [] } = order;
        const say = (state: VersionEvent["state"]) => {
            const number = { number: at + 1, of: orders.length };
            if (!options.previewOnly)
                tell({ type: "version", time: new Date().toISOString(), version, ...number, state });
        };
        say("begin");
        try {
            result = await site.operate(order, at === 0 ? options : withoutHash(options), tell);
            if (!result.ran) return result;
            await untilWell(site, version, followedBy[0], options.signal, tell).catch(error => {
                throw options.signal?.aborted ? cancelled(options.signal) : told(error);
            });
        } catch (error) {
            say("failed");
            const versions = orders.map(each => each.version ?? "");
            throw options.signal?.aborted ? error : await withStanding(error, site, versions, at);
        }
        say("end");
    }
    return result!;
}

/** The approved hash covers the first upgrade and names the later ones; guards hold for each. */
function withoutHash({ plan: _, ...options }: RunOptions): RunOptions {
    return options;
}

/** The upgrades that are left, in order. @throws INVALID_INPUT */
async function ordersOf(
    site: Chained,
    { to, through = [], bundle }: UpgradeTarget,
    options: RunOptions,
): Promise<{ orders: Order[]; isChain: boolean }> {
    const versions = [...through, to].map(version => version.replace(/^v/, ""));
    const isChain = versions.length > 1;
    if (isChain && bundle !== undefined && !bundle.includes(versionMark))
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `upgrade: ${bundle} has no ${versionMark} in it: each version has a bundle of its own`,
        });
    const set = site.setting(["kubernetes", "source", "bundle", "path"]);
    const configured = site.setting(["kubernetes", "version"]);
    const pattern = bundle ?? (typeof set === "string" ? set : undefined);
    const resources = await site.state();
    const now = standings(resources);
    const left = versionsLeft({
        ...{ versions, standings: now },
        ...(typeof configured === "string" && { configured }),
        bundles: pattern === undefined ? {} : await bundlesLike(site.folder, pattern),
    });
    const moving = mayMoveTo(now, left[0]!);
    const allowed =
        site.setting(["kubernetes", "allowUnsupportedVersion"]) === true ||
        moving.some(({ allowsUnsupported }) => allowsUnsupported);
    refuse(
        partsBelow(resources, moving, left),
        "Give the ManagementCluster a release that runs there (nfv versions) with pulumi up, then come back. Nothing was changed.",
    );
    refuse(
        [chainRefusal(left, allowed, new Date())],
        "The upgrades before it were not begun. After a change of allowUnsupportedVersion in the program: pulumi up first, so that the state has it.",
    );
    refuse(
        cloudPartsBelow(resources, moving, left),
        "Name it in the program. If the program names it already: upgrade to one version after another, without --through. Nothing was changed.",
    );
    if (bundle !== undefined)
        for (const each of left) await refuseOtherBundle(site.folder, bundleFolder(bundle, each), each);
    const orders = left.map((version, at) =>
        upgrade(version, {
            ...(bundle !== undefined && { bundle: bundleFolder(bundle, version) }),
            followedBy: left.slice(at + 1),
        }),
    );
    const stands = now.some(({ wanted }) => wanted === left[0]);
    const isDone = isChain && left.length > 1 && stands && (await needsNothing(site, orders[0]!, options));
    return { orders: isDone ? orders.slice(1) : orders, isChain };
}

/** @throws INVALID_INPUT if there is a problem */
function refuse(problems: readonly (string | undefined)[], hint: string): void {
    const found = problems.filter(problem => problem !== undefined);
    if (found.length > 0) throw new NfvError({ code: "INVALID_INPUT", cause: `upgrade: ${found.join("; ")}`, hint });
}

/** Whether nothing is left of the upgrade to the version where the cluster stands. Its preview is not told: this run does not do it. */
async function needsNothing(site: Chained, { settings }: Order, options: RunOptions): Promise<boolean> {
    const { refresh, parallel, whenBusy, takeOver, signal } = options;
    const quiet = { refresh, parallel, whenBusy, takeOver, signal, previewOnly: true } as RunOptions;
    const { plan } = await site.operate({ name: "preview", settings }, quiet, () => {});
    return isEmpty(plan);
}

async function untilWell(
    site: Chained,
    version: string,
    next: string | undefined,
    signal: AbortSignal | undefined,
    tell: (event: PipelineEvent) => void,
): Promise<void> {
    const until = performance.now() + wellness.most;
    for (let told = ""; ; ) {
        const { verdict, found } = await site.check();
        if (verdict.name === "healthy") break;
        if (performance.now() > until) {
            const what = [...new Set(found.map(({ node, text }) => `${node}: ${text}`))].join("\n");
            throw notYet(version, next, `the cluster is not well: ${verdict.reason}\n${what}`);
        }
        const text = `all nodes have Kubernetes ${version}; waiting until the cluster is well: ${verdict.reason}`;
        if (text !== told) tell({ type: "message", time: new Date().toISOString(), severity: "info", text });
        told = text;
        await sleep(wellness.pause, undefined, { signal });
    }
    const late = behind(standings(await site.state()), version);
    if (next !== undefined && late.length > 0)
        throw notYet(
            version,
            next,
            `not all nodes have ${version}: ${late.join(", ")}; kubernetes.upgrade.pauseAfter may hold them`,
        );
}

function notYet(version: string, next: string | undefined, why: string): NfvError {
    const [code, cause] =
        next === undefined
            ? (["UPGRADE_FAILED", `all nodes were moved to ${version}, but ${why}`] as const)
            : ([
                  "UPGRADE_REFUSED",
                  `the upgrade to ${version} has ended, and that to ${next} was not begun: ${why}`,
              ] as const);
    return new NfvError({ code, cause, hint: "Put right what the message names; nfv check shows it." });
}

/** Says at which version the cluster stands, and how the chain goes on. */
async function withStanding(error: unknown, site: Chained, chain: readonly string[], at: number): Promise<unknown> {
    if (!(error instanceof NfvError)) return error;
    const now = await site.state().then(standings, () => []);
    const { code, node, step, reason, hint, output } = error;
    return new NfvError({
        ...{
            code,
            cause: `${reason}\nthis was upgrade ${at + 1} of ${chain.length} (${chain.join(", ")}); ${standingText(now)}`,
        },
        ...(node !== undefined && { node }),
        ...(step !== undefined && { step }),
        ...(output !== undefined && { output }),
        hint: `${hint} Then run the same command again: it goes on from where the cluster stands.`,
    });
}

/** "by the state of the stack: m1 1.36.3; m2, w1 1.33.13". */
function standingText(all: readonly Standing[]): string {
    const nodes = all.flatMap(each => Object.entries(each.nodes));
    const versions = [...new Set(nodes.map(([, version]) => version))];
    const texts = versions.map(version => {
        const names = nodes.filter(([, at]) => at === version).map(([name]) => name);
        return `${names.join(", ")} ${version}`;
    });
    return `by the state of the stack: ${texts.join("; ") || "not known"}`;
}
