import { all, called, change, cluster, plain, type Row } from "./graph";
import type { RunLog } from "./run-log";

const drift = { PROBE_DRIFT: "n1" };
/** Whether each read is followed by a diff of a process that has not checked anything yet. */
const comparesUnchecked = (log: RunLog) =>
    all.split(" ").every(name => log.of(`diff ${name}`)[0]?.checked.length === 0);
const readsBefore = (log: RunLog) => log.of("read").every(({ end }) => end < log.programs[0]!.begin);
const readsTogether = (log: RunLog) => log.names("read") === all && log.overlap("read Record", "read End");

export const refreshRows: Row[] = [
    {
        title: "refresh",
        args: ["refresh", ...plain],
        probes: cluster("b"),
        env: drift,
        relies: {
            "the program does not run, and no check is called": ({ log }) =>
                log.programs.length === 0 && !called(log, "check"),
            "all are read at the same time, in no order": ({ log }) => readsTogether(log),
            "a diff follows each read, without a check in this process": ({ log }) => comparesUnchecked(log),
            "one process hosts all resources": ({ log }) => log.pids.length === 1,
            "the state gets the outputs that a read returns, and keeps the inputs": ({ stored }) =>
                stored["n1"] === "a drifted",
        },
    },
    {
        title: "refresh --run-program",
        args: ["refresh", "--run-program", ...plain],
        probes: cluster("b"),
        relies: {
            "the program runs, but no check is called": ({ log }) => log.programs.length === 1 && !called(log, "check"),
            "reads follow the edges, and a diff without a check follows each": ({ log }) =>
                comparesUnchecked(log) &&
                cluster().every(({ name, after }) =>
                    after.every(other => log.inOrder(`read ${other}`, `read ${name}`)),
                ),
        },
    },
    {
        title: "up --refresh",
        args: ["up", "--refresh", ...plain],
        probes: cluster(),
        env: drift,
        relies: {
            "all are read at the same time, before the program runs": ({ log }) =>
                readsTogether(log) && readsBefore(log),
            "each is compared twice: after its read without a check, and after its check": ({ log }) =>
                comparesUnchecked(log) && log.of("diff").length === 14 && log.of("diff n1")[1]!.checked.includes("n1"),
            "reads, checks and acts run in one process": ({ log }) => log.pids.length === 1,
            "the program reads the state as it was before the reads": ({ log }) => log.programs[0]!.state["n1"] === "a",
            "only what has drifted is updated": ({ log }) => log.names("update") === "n1",
        },
    },
    {
        title: "preview --refresh",
        args: ["preview", "--refresh"],
        probes: cluster(),
        env: drift,
        relies: {
            "each is read and compared before the program runs, and compared again after its check": ({ log }) =>
                readsBefore(log) && comparesUnchecked(log) && log.of("diff").length === 14,
            "reads and checks run in one process": ({ log }) => log.pids.length === 1,
            "the program reads the state as it was before the reads": ({ log }) => log.programs[0]!.state["n1"] === "a",
            "the state keeps what it had": ({ stored }) => stored["n1"] === "a a",
        },
    },
    {
        title: "up --refresh where Pulumi's configuration changed",
        args: ["up", "--refresh", ...plain],
        probes: change(cluster(), { n1: { value: "b" } }),
        config: { some: "value" },
        relies: {
            "one process reads, another one does everything else, so facts of the reads are not there": ({ log }) =>
                log.pids.length === 2 &&
                log.of("check").every(({ pid, read }) => pid === log.pids[1] && read.length === 0) &&
                log.of("read").every(({ pid }) => pid === log.pids[0]),
        },
    },
];
