import type { UpgradeOrderArgs } from "./upgrade-args";

/**
 * Restarts on all nodes, each once for each new id: docs/restart.md.
 * @change nothing: used with the next id of `containerRuntime`
 */
export interface RestartArgs extends UpgradeOrderArgs {
    /**
     * Id of a restart of containerd, such as `"2026-11"`: letters, digits, dots, `-` and `_`. Another id than the last one means once more; the same
     * id, or none, does nothing. One node after another, without a drain: containers go on while containerd restarts.
     * @change rolling: another id: containerd restarts, on one control-plane node after another, then on workers as `maxUnavailable` says. Containers go on.
     * Taken away: nothing
     * @format word
     */
    containerRuntime?: string;
    /**
     * Names of workers and pools: `["w1", "edge"]` takes w1 first, then the rest of the pool edge, then all others. Workers of a pool take turns as its
     * `maxUnavailable` says.
     * @default pool by pool
     * @format nodeOrPool
     */
    order?: string[];
    /**
     * Workers behind this one stay as they are until a later program has another value here, or none: an entry of `order`, or "controlPlane".
     * @default none: all have their turn
     * @change rolling: workers that it held back, and that it lets go, have their turn
     * @format nodeOrPool
     */
    pauseAfter?: string;
    /**
     * For how many seconds each worker must stay Ready after its restart, with its pods, before those behind it begin. At most a day, 86400.
     * @default 0
     */
    soakSeconds?: number;
}
