/** What users write about servers that are replaced on purpose. Part of the schema like args.ts. */

/**
 * Gives nodes new servers once, from the program's present image and flavor, in turns: the node is drained and leaves, its server is deleted and made again under
 * the same name, with the same port, addresses and further volumes, and joins; then the next one. Workers that the same run adds to their pool join first. Beside another `kubernetes.version`
 * whole pools get it by their new servers. Only with `nova`. Exactly one of `nodes` and `all` is set.
 * @change membership: further nodes get new servers under the same word; one that is not named any more keeps its server if its turn has not begun
 */
export interface ReplaceServersArgs {
    /**
     * A word of 1 to 100 letters, digits, dots, `-` and `_`: `"2026-11"`. A node gets a new server once for each word: with more names under the same word only
     * the further ones get one. So do nodes that are made while the word is there: their servers are new already.
     * @change membership: another word: each node that is named leaves and joins again on a new server, once. See docs/openstack.md#new-servers. Taken
     * away: nothing
     * @format word
     */
    run: string;
    /**
     * Names of nodes and of pools: `["core-workers-1"]` first, as a trial, then `["workers"]`; `"controlPlane"`: its nodes, one after another. They come before
     * the workers.
     * @format nodeOrPool
     */
    nodes?: string[];
    /**
     * `true`: every worker, no control-plane node. Pool by pool, in a pool as many at once as `pools.NAME.maxUnavailable` says.
     * @default false
     */
    all?: boolean;
}
