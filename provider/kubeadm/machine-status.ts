import { underWayScript } from "../steps/under-way";
import { type ForeignSoftware, parseSoftware, softwareScript } from "./foreign-software";
import { kubeadmScript } from "./kubeadm-script";
import { hashesOf, parseTraces, type Traces, unreadable } from "./parse-traces";
import { authorityFile, pkiFolder } from "./paths";
import { tracesScript } from "./traces";

/** What we read on a machine. */
export interface MachineStatus extends Traces {
    /** Id of the cluster of which it is a member; empty if of none. */
    memberOf: string;
    /** Which join made it a member: another text after another join. Empty if none. */
    memberSince?: string;
    /** Our files or our copies of the original ones are on it, whatever its journal has. */
    isPrepared?: boolean;
    /** Id of the cluster whose init began here and has not ended. */
    initStarted: string;
    /** Id of the cluster whose join began here, or that the machine began to leave. */
    joinStarted?: string;
    /**
     * The authority has another key than when the machine became a member: somebody reset it and joined it to another
     * cluster. A renewed certificate with the same key is the same authority. An unreadable certificate proves nothing.
     */
    authorityChanged: boolean;
    /** `sha256:…` of the keys of the authority that its kubeadm files have now. */
    trusts?: string[];
    /** The machine's own API server is ready. */
    apiReady: boolean;
    /** It is a member, and its kubelet or container runtime does not run. */
    areServicesStopped?: boolean;
    /** Its etcd runs and has no leader: too few of the members answer it. */
    withoutLeader?: boolean;
    /**
     * Endpoints that it serves or knows until all nodes have left them, as recorded on the machine: one JSON object
     * each.
     */
    formers?: string[];
    /** Keys whose first one a cluster has left: "CLUSTERID KIND" (first-keys.ts). */
    rotated?: string[];
    /**
     * Ids of our scripts that reset this machine or remove its node, and that are still running there (steps/under-way.ts).
     */
    underWay?: string[];
    software?: ForeignSoftware;
}

/** Prints a machine's facts as lines "name=value". Wants ADDRESS. Changes nothing. */
export const machineStatusScript =
    kubeadmScript("kubeadm/print-machine-status.sh") + underWayScript + tracesScript + softwareScript;

export function parseMachineStatus(text: string): MachineStatus {
    const lines = text
        .split("\n")
        .filter(line => line.includes("="))
        .map(line => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
    const value = (name: string) => (lines.find(([key]) => key === name)?.[1] ?? "").trim();
    const authorities = lines.filter(([key]) => key === "authorityOf").map(([, text]) => text.trim().split(" "));
    const keysOf = (file: string) => {
        const [, base64] = authorities.find(([path]) => path === file) ?? [];
        return base64 === undefined ? [unreadable] : hashesOf(base64);
    };
    const rotated = lines.filter(([key]) => key === "rotated").map(([, text]) => text.trim());
    const trusts = keysOf(`${pkiFolder}/ca.crt`).filter(key => key !== unreadable);
    return {
        memberOf: value("memberOf"),
        ...(value("memberSince") && { memberSince: value("memberSince") }),
        ...(value("isPrepared") === "yes" && { isPrepared: true }),
        initStarted: value("initStarted"),
        joinStarted: value("joinStarted"),
        authorityChanged: haveOtherKeys(keysOf(authorityFile), keysOf(`${pkiFolder}/ca.crt`)),
        ...(trusts.length > 0 && { trusts }),
        apiReady: value("apiReady") === "yes",
        ...(rotated.length > 0 && { rotated }),
        ...(value("services") === "stopped" && { areServicesStopped: true }),
        ...(value("etcd") === "without-leader" && { withoutLeader: true }),
        formers: lines.filter(([key]) => key === "former").map(([, text]) => text),
        underWay: lines.filter(([key]) => key === "underWay").map(([, text]) => text),
        software: parseSoftware(lines),
        ...parseTraces(lines),
    };
}

/** Whether both files have readable keys and none in common. */
function haveOtherKeys(before: readonly string[], now: readonly string[]): boolean {
    const known = [before, now].every(keys => keys.some(key => key !== unreadable));
    return known && !now.some(key => key !== unreadable && before.includes(key));
}
