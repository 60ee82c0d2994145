import type { CheckFailure } from "../../contract/types";
import { drained } from "../../member/upgrade/upgrade-preview";
import type { NodeTarget } from "../node-by-node/procedure";
import { nextKernel, type OsState, type StoredOsUpgrade, wantsReboot } from "./os-state";

/** What preview says of upgrades of the operating system. It changes nothing, so the lists are those that the machines have. */

export const headline = (masters: number) =>
    masters > 2
        ? "one control-plane node after another, so that etcd keeps its majority"
        : "the API of the cluster is away while a control-plane node reboots: there are fewer than three";

/** "12 packages (3 security), kernel 6.1.0-25-amd64 to 6.1.0-28-amd64, reboots; drained within 300 s, or the run stops (lists of 2026-11-27)". Pure. */
export function lineOf({ drain }: NodeTarget, look: OsState, stored: StoredOsUpgrade): string {
    const { packages, kernel, lists } = look;
    if (lists === "") return "it has no lists of packages yet; up reads them, and then does what is due";
    const next = nextKernel(look);
    const needs = wantsReboot(stored, look) || (stored.reboot === "ifNeeded" && next !== undefined);
    const day = ` (lists of ${lists})`;
    if (packages.length === 0 && !needs) return `nothing is due${day}`;
    const security = packages.filter(each => each.security).length;
    const what = [
        `${packages.length} packages (${security} security)`,
        ...(next === undefined ? [] : [`kernel ${kernel} to ${next}`]),
        needs ? "reboots" : stored.reboot === "never" ? "no reboot" : "reboots if a package asks for it",
    ];
    return `${what.join(", ")}; ${drained({ spec: { drain } })}${day}`;
}

export function refuseRemoval(node: string, { removes }: OsState): CheckFailure[] {
    if (removes.length === 0) return [];
    const reason = `${node}: FOREIGN_SOFTWARE: the upgrade would remove these packages: ${removes.join(", ")}. Nothing was touched`;
    return [{ property: "packages", reason }];
}
