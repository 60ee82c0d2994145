/** What `up` does about a finding: as a preview calls it, and as a report calls it when it is done. */
export const cureWords = {
    kubelet: { todo: "start kubelet again: it does not run", done: "kubelet started again" },
    uncordon: { todo: "uncordon the node: a deletion that was stopped had cordoned it", done: "uncordoned" },
    certificate: { todo: "renew the node's certificates: one of them has ended", done: "certificates renewed" },
    etcdSpace: {
        todo: "compact and defragment etcd: its file is full, or nearly",
        done: "etcd compacted and defragmented",
    },
    membership: { todo: "bring the node back: its cluster does not know it", done: "joined again" },
    runtime: { todo: "restart the container runtime: it does not work", done: "container runtime restarted" },
} as const;

const byTodo = new Map<string, string>(Object.values(cureWords).map(({ todo, done }) => [todo, done]));

/** "kubelet started again", by its words in a preview. Undefined: it is none of these cures. Pure. */
export const doneWords = (todo: string): string | undefined => byTodo.get(todo);
