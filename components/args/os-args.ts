import type { UpgradeOrderArgs } from "./upgrade-args";

/**
 * Upgrades of the packages of the nodes' operating system, each once for each new word: docs/os-upgrade.md.
 * @change nothing: used with the next word of `upgrade`
 */
export interface OsArgs extends UpgradeOrderArgs {
    /**
     * Word for an upgrade, such as `"2026-11"`: letters, digits, dots, `-` and `_`. Another word than the last one means once more; the same word, or none,
     * does nothing. One node after another: packages are downloaded, the node is drained, they are installed, it reboots if that is needed, and is uncordoned.
     * @change rolling: another word: the packages of the operating system are upgraded, with reboots where needed: one control-plane node after another,
     * then workers as `maxUnavailable` says, each drained. See docs/os-upgrade.md. Taken away: nothing
     * @format word
     */
    upgrade?: string;
    /**
     * Which packages: `["security"]` (those that come from a repository for security updates), or names and patterns of them, such as
     * `["containerd", "haproxy", "linux-image-*"]`. Those of Kubernetes (kubelet, kubeadm, kubectl, kubernetes-cni, cri-tools) are never upgraded.
     * @default all that have a newer version
     * @format packages
     */
    packages?: string[];
    /**
     * When a node reboots afterwards: `ifNeeded` (a newer kernel is installed than runs, /run/reboot-required exists, or `needs-restarting -r` says so),
     * `always`, or `never`.
     * @default "ifNeeded"
     * @format choice
     */
    reboot?: string;
    /** How long a node may take until it answers again after a reboot, in seconds, from 30 to 7200. @default 600 */
    rebootTimeoutSeconds?: number;
    /**
     * Names of workers and pools: `["w1", "edge"]` upgrades w1 first, then the rest of the pool edge, then all others. Workers of a pool take turns as its
     * `maxUnavailable` says.
     * @default pool by pool
     * @format nodeOrPool
     */
    order?: string[];
    /**
     * Workers behind this one stay as they are until a later program has another value here, or none: an entry of `order`, or "controlPlane".
     * @default none: all are upgraded
     * @change rolling: workers that it held back, and that it lets go, are upgraded
     * @format nodeOrPool
     */
    pauseAfter?: string;
    /**
     * For how many seconds each worker must stay Ready after its upgrade, with its pods, before those behind it begin. At most a day, 86400.
     * @default 0
     */
    soakSeconds?: number;
}
