/** What users write about the order of upgrades. Part of the schema like args.ts. */

/** The order in which workers move to another version, after the control plane. @change nothing: used with the next change of `kubernetes.version` */
export interface UpgradeOrderArgs {
    /**
     * Names of workers and pools: `["w1", "edge"]` moves w1 first, then the rest of the pool edge, then all others. Workers of a pool take turns as its
     * `maxUnavailable` says.
     * @default all pools at the same time
     * @format nodeOrPool
     */
    order?: string[];
    /**
     * Workers behind this one stay at their version until a later program has another value here, or none: an entry of `order`, or "controlPlane".
     * @default none: all move
     * @change rolling: workers that it held back, and that it lets go, move to the version of the control plane
     * @format nodeOrPool
     */
    pauseAfter?: string;
    /**
     * For how many seconds each worker that has moved must stay Ready, with its pods, before those behind it in `order` begin. At most a day, 86400.
     * @default 0
     */
    soakSeconds?: number;
}

/** What `pauseAfter` calls the control plane. */
export const controlPlaneEntry = "controlPlane";
