import * as pulumi from "@pulumi/pulumi";
import { typeToken, urnOf } from "../../provider/adapters/dynamic";
import { outputsOfCluster, ownState } from "../../provider/adapters/own-state";
import type { ClusterKeysState } from "../../provider/cluster/cluster-keys";
import { isGraceOver } from "../../provider/common/grace";
import { type Certificates, trusted } from "../../provider/identity";
import type { AuthorityRotationState } from "../../provider/procedures/authorities/authority-rotation";
import { defaultGraceHours, type RotateArgs } from "../args/rotate-args";

/** What the state says of the last rotation of the authorities, at the start of the run. */
export interface RecordedRotation {
    /** Name of the authorities that it has brought; undefined: there was no rotation, or the program no longer asks for it. */
    name?: string;
    /** The nodes have no other ones. */
    ended: boolean;
    /** The nodes have no other ones, or get rid of them in this run. */
    ends: boolean;
    /** The word of authorities that the nodes may not have yet, whatever became of the word since; "": they have those of ClusterKeys. */
    unended: string;
}

/** Read before the run changes anything, so that preview and up give users the same. */
export function recordedRotation(
    name: string,
    clusterName: string,
    parent: pulumi.Resource | undefined,
    { authoritiesGraceHours = defaultGraceHours }: RotateArgs,
): pulumi.Output<RecordedRotation> {
    return pulumi
        .all([urnOf(name, "AuthorityRotation", parent), urnOf(name, "ClusterKeys", parent), ownState()])
        .apply(([itself, keys, state]): RecordedRotation => {
            const outputsOf = (urn: string, type: "AuthorityRotation" | "ClusterKeys") =>
                outputsOfCluster(state, { urn, type: typeToken(type), clusterName });
            const recorded = outputsOf(itself, "AuthorityRotation") as Partial<AuthorityRotationState> | undefined;
            const { keyName: brought, since = "", ended = false } = recorded ?? {};
            const { certificates } = (outputsOf(keys, "ClusterKeys") ?? {}) as Partial<ClusterKeysState>;
            const exchanged = certificates?.current?.exchanged;
            const haveThem = exchanged?.former === undefined || (ended && brought === exchanged.name);
            return {
                ...(brought !== undefined && { name: brought }),
                ended,
                ends: ended || isGraceOver({ ended, since }, authoritiesGraceHours),
                unended: haveThem ? "" : (certificates?.rotated?.authorities ?? ""),
            };
        });
}

/** Whom users trust: what the state says of a rotation counts for the authorities that this one has brought, not for those that this run makes. */
export function trustedBy(
    certificates: Certificates,
    recorded: RecordedRotation,
    hasEnded: (recorded: RecordedRotation) => boolean,
): string {
    return trusted(certificates, recorded.name === certificates.exchanged?.name && hasEnded(recorded));
}

/** The word for ClusterKeys: nodes need a bridge from the authorities that they have, so the next ones are made when a rotation has ended. */
export function wordForKeys(asked: string, { unended }: RecordedRotation): string {
    return unended === "" ? asked : unended;
}
