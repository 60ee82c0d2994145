import { drainNode } from "../../member/leave/leave-acts";
import { backInService } from "../../member/upgrade/acts";
import { checkServices } from "../node-by-node/check-services";
import type { NodeAtWork, NodeByNode } from "../node-by-node/procedure";
import { nodeByNodeResource, type RequestState, type RunTargets } from "../node-by-node/resource";
import { fetchPackages, upgradePackages } from "./acts";
import { headline, lineOf, refuseRemoval } from "./os-lines";
import { lookAtOs, type OsState, type StoredOsUpgrade, wantsReboot } from "./os-state";
import { reboot } from "./reboot";

export interface OsUpgradeInputs extends StoredOsUpgrade, RunTargets {}
export interface OsUpgradeState extends StoredOsUpgrade, RequestState {}

/** The packages of the operating system are upgraded, with a reboot where that is needed. */
const upgradeOfOs: NodeByNode<StoredOsUpgrade, OsState> = {
    request: "os.upgrade",
    noteName: "os-upgrade",
    drains: true,
    step: "upgrade the operating system",
    turn: "upgrade",
    look: (machine, node, { packages }) => lookAtOs(machine, node, packages),
    isDue: (look, stored) => look.packages.length > 0 || wantsReboot(stored, look),
    ahead: ({ packages }) => fetchPackages(packages),
    work: upgrade,
    awaySeconds: ({ rebootTimeoutSeconds }) => rebootTimeoutSeconds,
    ...{ headline, lineOf, refuse: refuseRemoval },
};

export const osUpgrade = nodeByNodeResource("OsUpgrade", upgradeOfOs);

/** Its note has a stage of its own: `upgraded`, the packages are there, in the boot of the note. */
async function upgrade(at: NodeAtWork<StoredOsUpgrade, OsState>, before: OsState): Promise<string> {
    const { stored, stage, target, context } = at;
    const { name, drain } = target;
    let now = before;
    if (stage !== "upgraded") {
        await at.there(drainNode(name, drain));
        await at.here(upgradePackages(stored.requestId, stored.packages, stored.reboot));
        now = await at.look();
    }
    if (now.boot === now.note?.boot && wantsReboot(stored, now)) {
        // Somebody may have uncordoned it since a run was killed.
        if (stage === "upgraded") await at.there(drainNode(name, drain));
        await reboot(at, now.boot);
    }
    await at.here(checkServices(target));
    const after = await at.look();
    await at.there(backInService(name, "bootID", after.boot));
    const reason =
        stored.reboot === "never" ? "os.reboot is never" : `it runs kernel ${after.kernel}: see its boot loader`;
    if (after.needsReboot) context.warn(`${name} still asks for a reboot; ${reason}`);
    const did = stage === "upgraded" ? "upgraded before" : `${before.packages.length} packages upgraded`;
    return after.boot === now.note?.boot ? did : `${did}, rebooted (kernel ${after.kernel})`;
}
