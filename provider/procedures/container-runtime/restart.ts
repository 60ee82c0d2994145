import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { untilReady } from "../../member/upgrade/acts";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";
import type { Act } from "../../steps/types";
import { checkServices } from "../node-by-node/check-services";
import type { NodeByNode, NodeLook, StoredRequest } from "../node-by-node/procedure";
import { parseNote } from "../node-by-node/request-note";
import { nodeByNodeResource, type RequestState, type RunTargets } from "../node-by-node/resource";

export interface RuntimeRestartInputs extends StoredRequest, RunTargets {}
export interface RuntimeRestartState extends StoredRequest, RequestState {}

/** What a machine says of containerd. */
export interface RuntimeLook extends NodeLook {
    boot: string;
    /** "": it does not answer. */
    version: string;
    /** Since when it runs, "2026-11-29T10:00Z"; "": it does not. */
    since: string;
}

/** The command that asks; fake nodes in tests recognise it. */
export const runtimeArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-runtime"];

/** For tests, too. */
export const runtimeScripts = {
    look: () => kubeadmScript("procedures/container-runtime/print-runtime.sh"),
    restart: () => kubeadmScript("procedures/container-runtime/restart-runtime.sh"),
};

const restart = (id: string): Act => ({
    id: "container-runtime.restart",
    title: "restart the container runtime",
    target: "self",
    run: runtimeScripts.restart(),
    env: { WORD: id },
    timeoutSeconds: 300,
    disruptive: "containerd restarts; containers go on",
});

/** Without a drain: containers go on while containerd restarts. */
const restartOfRuntime: NodeByNode<StoredRequest, RuntimeLook> = {
    request: "restart.containerRuntime",
    noteName: "container-runtime",
    step: "restart the container runtime",
    turn: "restart",
    look,
    isDue: () => true,
    work: async (at, { boot }) => {
        await at.here(restart(at.stored.requestId));
        await at.here(checkServices(at.target));
        await at.there(untilReady(at.target.name, boot));
        return "containerd restarted";
    },
    headline: () => "one control-plane node after another, then the workers; containers go on",
    lineOf: (_, { version, since }) => {
        if (version === "") return "containerd does not answer, and restarts";
        return `containerd ${version} restarts${since && `; it has run since ${since}`}`;
    },
};

export const runtimeRestart = nodeByNodeResource("RuntimeRestart", restartOfRuntime);

async function look(machine: Connection, node: string): Promise<RuntimeLook> {
    const how = { step: "look at the container runtime", script: runtimeScripts.look(), node };
    const said = await query(machine, { ...how, argv: runtimeArgv, timeoutSeconds: 60 });
    const value = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(said)?.[1]?.trim() ?? "";
    const note = parseNote(value("note"));
    return { ...(note && { note }), boot: value("boot"), version: value("version"), since: value("since") };
}
