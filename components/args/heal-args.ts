/** What users write about heals. Part of the schema like args.ts. */

/**
 * Heals nodes once: each leaves the cluster and joins again as a fresh node. The cluster's id, keys, endpoint and VIM stay. Exactly one of `nodes` and `all`
 * is set.
 * @change nothing: used with the next word of `run`; a node that is not named any more is not healed if its heal has not been done
 */
export interface HealArgs {
    /**
     * A word of 1 to 100 letters, digits, dots, `-` and `_`: `"2026-11-26"`. Another word than the last one heals the nodes once. The same word heals no
     * node again, also after `heal` was away; nor does a word in the run that makes the cluster.
     * @change membership: another word: each node that is named leaves and joins again, once. See docs/how-it-works.md#heal. Taken away: nothing
     * @format word
     */
    run: string;
    /**
     * Whole names of the nodes: `["w2"]`.
     * @format dnsLabel
     */
    nodes?: string[];
    /**
     * `true`: every node. Control-plane nodes one after another, workers as `pools.NAME.maxUnavailable` says.
     * @default false
     */
    all?: boolean;
    /**
     * `"rejoin"`: the node is drained, leaves, and joins again on the same machine. `"server"`: it leaves and joins on a new server of the cloud; one node
     * per run, because the servers of one run are deleted before the first new one has joined.
     * @default "server" with `heat` and `nova`, "rejoin" with `hosts`
     * @format choice
     */
    cure?: string;
}
