import { called, cluster, plain, type Row } from "./graph";
import type { RunLog } from "./run-log";

const inReverse = (log: RunLog) =>
    cluster().every(({ name, after }) => after.every(other => log.inOrder(`delete ${name}`, `delete ${other}`)));

export const destroyRows: Row[] = [
    {
        title: "destroy",
        args: ["destroy", ...plain],
        probes: cluster("b"),
        relies: {
            "the program does not run, and neither check nor diff is called": ({ log }) =>
                log.programs.length === 0 && log.calls.every(({ method }) => method === "delete"),
            "deletes follow the edges backwards, Record is the last": ({ log }) => inReverse(log),
            "one process hosts all resources": ({ log }) => log.pids.length === 1,
        },
    },
    {
        title: "destroy --run-program",
        args: ["destroy", "--run-program", ...plain],
        probes: cluster("b"),
        relies: {
            "the program runs, but neither check nor diff is called": ({ log }) =>
                log.programs.length === 1 && log.calls.every(({ method }) => method === "delete"),
        },
    },
    {
        title: "destroy --refresh",
        args: ["destroy", "--refresh", ...plain],
        probes: cluster("b"),
        relies: {
            "each is read and compared before the first delete, without a check": ({ log }) =>
                !called(log, "check") && log.of("diff").length === 7 && log.inOrder("diff Record", "delete End"),
            "one process hosts all resources": ({ log }) => log.pids.length === 1,
        },
    },
];
