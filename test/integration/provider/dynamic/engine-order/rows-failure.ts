import { called, change, cluster, plain, type Row, without } from "./graph";

/** h1 fails while h2 still acts; End is no longer in the program. */
const failing = change(without(cluster("b"), "End"), { h1: { fails: true, seconds: 1 }, h2: { seconds: 3 } });

export const failureRows: Row[] = [
    {
        title: "up in which h1 fails",
        args: ["up", ...plain],
        probes: failing,
        relies: {
            "what runs ends and is stored": ({ log, stored }) =>
                log.inOrder("update h2") &&
                log.of("update h2")[0]!.end < Number.POSITIVE_INFINITY &&
                stored["h2"] === "b b",
            "what comes after gets no check": ({ log }) => log.names("check") === "Record Start h1 h2",
            "nothing is deleted": ({ log, code }) => code !== 0 && !called(log, "delete"),
            "the state keeps inputs and outputs that h1 had": ({ stored }) => stored["h1"] === "a a",
        },
    },
    {
        title: "up --continue-on-error in which h1 fails",
        args: ["up", "--continue-on-error", ...plain],
        probes: failing,
        relies: {
            "what depends on h1 gets check and diff, but no update": ({ log, stored }) =>
                log.names("diff") === "Record Start h1 h2 n1 n2" &&
                log.names("update") === "Record Start h1 h2" &&
                stored["n1"] === "a a",
            "what the program no longer has is deleted all the same": ({ log, code }) =>
                code !== 0 && log.names("delete") === "End",
        },
    },
];
