import { setMaxListeners } from "node:events";
import { type ErrorCode, NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { serverError, verdictOf } from "../openstack";
import type { Connection } from "../ssh";
import { type Clock, realClock } from "../steps/clock";
import { named, type ServerInputs } from "./machine";
import { serverStatusOf } from "./server";

export interface FirstContact extends ServerInputs {
    node: string;
    connection: Connection;
    context: Context;
    clock?: Clock;
}

const defaultBootSeconds = 600;

/** How often we ask the cloud whether the server still comes up, and how often we report progress, in seconds. */
const lookSeconds = 10;
const tellSeconds = 5;

/** Errors of a machine that boots: it does not answer, or the connection breaks. */
const booting = new Set<ErrorCode>(["CONNECT_FAILED", "CONNECTION_LOST", "STEP_TIMEOUT"]);

/**
 * sshd accepts connections before cloud-init has created the host key, the user and its sudo rights. Until this time,
 * in seconds, these errors are retried.
 */
const provisioningErrors = new Set<ErrorCode>(["AUTHENTICATION_FAILED", "HOST_KEY_CHANGED", "SUDO_REFUSED"]);
const provisioningSeconds = 120;

/**
 * Waits until a new server accepts our SSH login. Fails at once when the cloud says that the server will never come up.
 * @throws SERVER_FAILED with the cloud's reason and the console's last lines, or the machine's answer
 */
export async function waitForServer(machine: FirstContact): Promise<void> {
    const { node, server, context, clock = realClock } = machine;
    if (server === undefined) return;
    const began = clock.now();
    const passed = () => Math.round(clock.now() - began);
    const limit = server.bootTimeoutSeconds ?? defaultBootSeconds;
    const end = new AbortController();
    const signal = context.signal === undefined ? end.signal : AbortSignal.any([end.signal, context.signal]);
    setMaxListeners(0, signal);
    const watching = watch(machine, clock, signal, passed);
    const timeUp = clock.sleep(limit, signal).then(() => "late" as const);
    let last = "it did not answer";
    const login = named(node, () =>
        tryLogin(machine, clock, signal, reason => {
            last = reason;
        }),
    );
    try {
        const how = await Promise.race([login, watching, timeUp]);
        if (how !== "late") return;
        throw await tooLate(machine, limit, last);
    } catch (error) {
        if (context.signal?.aborted) throw new NfvError({ code: "CANCELLED", node, cause: "the run was stopped" });
        throw error;
    } finally {
        end.abort();
        // The signal ends the other promises; their errors do not matter.
        for (const loser of [login, watching, timeUp]) loser.catch(() => {});
    }
}

/** Retries the login until it succeeds. */
async function tryLogin(
    { connection }: FirstContact,
    clock: Clock,
    signal: AbortSignal,
    failed: (reason: string) => void,
): Promise<void> {
    let halfSince: number | undefined;
    for (;;) {
        try {
            await connection.exec(["true"], { timeoutSeconds: 30, signal });
            return;
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            failed(error.reason);
            if (provisioningErrors.has(error.code)) {
                halfSince ??= clock.now();
                if (clock.now() - halfSince > provisioningSeconds) throw error;
            } else if (booting.has(error.code)) {
                halfSince = undefined;
            } else {
                throw error;
            }
        }
        await clock.sleep(1, signal);
    }
}

/** Reports progress and asks the cloud whether the server can still come up. Never returns; throws if it cannot. */
async function watch(machine: FirstContact, clock: Clock, signal: AbortSignal, passed: () => number): Promise<never> {
    let what = "SSH";
    for (let looked = Number.NEGATIVE_INFINITY; ; ) {
        machine.context.report(`waiting for ${what}, ${passed()} s`);
        if (clock.now() - looked >= lookSeconds) {
            looked = clock.now();
            const sight = await serverStatusOf(machine.context, machine);
            if (sight && verdictOf(sight) === "hopeless") throw serverError(machine.node, sight, passed());
            what = sight && verdictOf(sight) === "wait" ? `the server (${sight.status})` : "SSH";
        }
        await clock.sleep(tellSeconds, signal);
    }
}

/** The error after the timeout: the last result of connecting, and what the cloud says. */
async function tooLate(machine: FirstContact, seconds: number, seen: string): Promise<NfvError> {
    const sight = await serverStatusOf(machine.context, machine);
    const cause = `not reachable by SSH: ${seen}`;
    if (sight) return serverError(machine.node, sight, seconds, cause);
    return new NfvError({ code: "SERVER_FAILED", node: machine.node, cause: `${cause}, waited for ${seconds} s` });
}
