import { NfvError } from "../common/errors";
import type { CheckFailure, Context } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { refuseSoftware } from "../kubeadm/foreign-software";
import { ownershipOf } from "../kubeadm/ownership";
import { connectTo, named } from "../machine/machine";
import { machineStatusOf } from "../machine/machine-statuses";
import { versionChange, whyNotStaged } from "../member/upgrade/upgrade";
import type { HostInputs } from "./host-state";
import { refuseUnfit, softwareInTheWay } from "./new-machine";

/** Another address is another machine: the former one leaves the cluster and is reset before the new one is prepared. */
export function isMoved({ spec: before }: Partial<HostInputs>, { spec, connection, server }: HostInputs): boolean {
    if (server !== undefined || before?.address === undefined) return false;
    return !hasUnknown([before.address, spec, connection]) && before.address !== spec.address;
}

/** A bundle is on the operator's machine. */
export function getsOtherVersion(olds: Partial<HostInputs>, { spec, connection }: HostInputs): boolean {
    const isKnown = !hasUnknown([spec, connection]) && spec.source.bundle === undefined;
    return isKnown && versionChange(olds, { spec }) !== undefined;
}

export async function refuseOtherVersion(
    olds: Partial<HostInputs>,
    news: HostInputs,
    context: Context,
): Promise<CheckFailure[]> {
    const { name } = news.spec;
    try {
        const why = await whyNotStaged(olds, news, connectTo(context, news.connection, undefined, news));
        return why === undefined
            ? []
            : [{ property: "", reason: `${name}: INVALID_INPUT: ${why}. Nothing was touched` }];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (error.code === "INVALID_INPUT") return [{ property: "", reason: error.message }];
        context.note(`${name}: whether it has the files of the new version was not found out: ${error.reason}`);
        return [];
    }
}

/** Looks at the machine at the new address first: a mistyped address must not cost the machine that works. */
export async function refuseNewMachine(inputs: HostInputs, context: Context): Promise<CheckFailure[]> {
    const { clusterId, name, address, caCertHash } = inputs.spec;
    const why = await (async () => {
        try {
            const connection = connectTo(context, inputs.connection, undefined, inputs);
            const facts = await named(name, () => machineStatusOf(connection, address));
            const { ownership, why: found } = ownershipOf({ clusterId, name, caCertHash, facts });
            if (ownership === "foreign") return `it is not this cluster's to use: ${found}`;
            refuseSoftware(name, softwareInTheWay(inputs.spec, facts, ownership === "empty"));
            if (ownership === "empty" && !facts.isPrepared) await refuseUnfit(inputs.spec, connection);
            return undefined;
        } catch (error) {
            if (error instanceof NfvError) return error.reason;
            throw error;
        }
    })();
    if (why === undefined) return [];
    const reason =
        `${name}: the machine at its new address ${address} cannot take the place of the former one: ${why}. ` +
        "The former one would leave the cluster first, so nothing was touched. Correct the address, or the machine.";
    return [{ property: "", reason }];
}
