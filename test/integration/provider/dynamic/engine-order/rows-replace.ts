import { all, change, cluster, plain, type Row, urn } from "./graph";

export const replaceRows: Row[] = [
    {
        title: "up --replace n1",
        args: ["up", "--replace", urn("n1"), ...plain],
        probes: cluster(),
        relies: {
            "n1 gets no diff, and one check, without the old inputs": ({ log }) =>
                log.of("diff n1").length === 0 &&
                log
                    .of("check n1")
                    .map(({ isNew }) => isNew)
                    .join() === "true",
            "it is made before the resources that depend on it are checked, and the old one is deleted at the end": ({
                log,
            }) => log.inOrder("create n1", "check n2") && log.inOrder("check End", "delete n1"),
        },
    },
    {
        title: "up that replaces h1",
        args: ["up", ...plain],
        probes: change(cluster("b"), { h1: { machine: "new", value: "b" } }),
        relies: {
            "what is replaced is checked again after its diff, without the old inputs": ({ log }) =>
                ["h1", "n1"].every(
                    name =>
                        log
                            .of(`check ${name}` as "check h1")
                            .map(({ isNew }) => isNew)
                            .join() === "false,true",
                ),
            "so is a dependent with an input from it; others are only updated": ({ log }) =>
                log.names("create") === "h1 n1" && log.names("update") === "End Record Start h2 n2",
            "the old ones are deleted after everything else, dependents first": ({ log }) =>
                log.inOrder("update End", "delete n1", "delete h1"),
        },
    },
    {
        title: "up that replaces h1 with deleteBeforeReplace",
        args: ["up", ...plain],
        probes: change(cluster(), {
            h1: { machine: "new", deletedFirst: true },
            n1: { deletedFirst: true },
            n2: { value: "b" },
        }),
        relies: {
            "a dependent is compared before its check, with the input from h1 unknown": ({ log }) =>
                log.of("diff n1").length === 1 &&
                log.of("diff n1")[0]!.unknown.join() === "hostId" &&
                !log.of("diff n1")[0]!.checked.includes("n1"),
            "dependents and h1 are deleted in the middle of the run, then made in the order of edges": ({ log }) =>
                log.inOrder("diff n1", "delete n1", "delete h1", "create h1", "check n1", "create n1", "check n2"),
            "the dependent's only check is without the old inputs": ({ log }) =>
                log
                    .of("check n1")
                    .map(({ isNew }) => isNew)
                    .join() === "true",
            "the rest follows": ({ log }) =>
                log.inOrder("create n1", "update n2", "check End") && log.names("check") === all,
        },
    },
];
