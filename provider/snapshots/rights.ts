import { rule } from "../common/add-on-objects";
import { snapshotGroup } from "./definitions";

const read = ["get", "list", "watch"];

/** What a driver's provisioner needs beside its other rights, to make claims from snapshots. It marks a snapshot that it copies. */
export const restoreRules = [
    rule(snapshotGroup, "volumesnapshots", ...read, "update"),
    rule(snapshotGroup, "volumesnapshotcontents", "get", "list"),
];

/** What the sidecar csi-snapshotter needs, which makes and deletes the snapshots of one driver. */
export const snapshotterRules = [
    rule(snapshotGroup, "volumesnapshotclasses", ...read),
    rule(snapshotGroup, "volumesnapshotcontents", ...read, "update", "patch"),
    rule(snapshotGroup, "volumesnapshotcontents/status", "update", "patch"),
    rule("", "events", "create", "patch"),
];

/** What the controller needs, which leads all snapshots of the cluster. */
export const controllerRules = [
    rule("", "persistentvolumes", ...read),
    rule("", "persistentvolumeclaims", ...read, "update"),
    rule("", "events", "create", "patch"),
    rule(snapshotGroup, "volumesnapshotclasses", ...read),
    rule(snapshotGroup, "volumesnapshotcontents", ...read, "create", "update", "patch", "delete"),
    rule(snapshotGroup, "volumesnapshotcontents/status", "patch"),
    rule(snapshotGroup, "volumesnapshots", ...read, "update", "patch"),
    rule(snapshotGroup, "volumesnapshots/status", "update", "patch"),
];
