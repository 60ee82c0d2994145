import type { EtcdBackupSpec } from "../../provider/etcd/spec";
import type { EtcdBackupArgs } from "../args/etcd-args";
import type { NodeName } from "../infrastructure/infrastructure";
import { resticSpec } from "../storage/backup-plan";

/** What each control-plane node gets for snapshots of etcd, in the order of their turns. Only the first makes what the program asks for. */
export function etcdBackupSpecs(
    given: EtcdBackupArgs | undefined,
    nodes: readonly Pick<NodeName, "name" | "role">[],
): Omit<EtcdBackupSpec, "clusterId">[] {
    if (given === undefined) return [];
    const { program, ...others } = given;
    const { run, ...backup } = { ...resticSpec(others), ...(program !== undefined && { program }) };
    return nodes
        .filter(({ role }) => role === "controlPlane")
        .map(({ name }, turn) => ({
            name,
            turn,
            backup: { ...backup, ...(turn === 0 && run !== undefined && { run }) },
        }));
}
