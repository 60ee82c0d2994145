import { all, called, cluster, isUnchecked, plain, type Row, urn, without } from "./graph";

const onlyN1 = ["--target", urn("n1"), ...plain];
const newHost = { name: "h3", after: ["Record"], value: "b" };

/** `--target` and `--exclude`. */
export const targetRows: Row[] = [
    {
        title: "up --target n1",
        args: ["up", ...onlyN1],
        probes: [...cluster("b"), newHost],
        relies: {
            "the program runs, but only the target gets check, diff and update": ({ log }) =>
                log.programs.length === 1 && log.calls.map(({ method }) => method).join() === "check,diff,update",
            "its check sees that nothing before it was checked": ({ log }) =>
                log.of("check n1")[0]!.checked.length === 0,
            "the state of the others stays as it was, and of new ones there is none": ({ stored }) =>
                stored["Record"] === "a a" && stored["n1"] === "b b" && stored["h3"] === undefined,
        },
    },
    {
        title: "up --refresh --target n1",
        args: ["up", "--refresh", ...onlyN1],
        probes: cluster("b"),
        relies: {
            "only the target is read": ({ log }) => log.names("read") === "n1" && log.names("check") === "n1",
        },
    },
    {
        title: "up --target h1 --target-dependents",
        args: ["up", "--target", urn("h1"), "--target-dependents", ...plain],
        probes: cluster("b"),
        relies: {
            "the target acts, then all that depends on it; what it depends on gets no check": ({ log }) =>
                log.names("check") === "End h1 n1 n2" &&
                log.inOrder("update h1", "update n1", "update n2", "update End"),
        },
    },
    {
        title: "up --exclude Record",
        args: ["up", "--exclude", urn("Record"), ...plain],
        probes: cluster("b"),
        relies: {
            "all others act, although what they depend on got no check": run =>
                isUnchecked(run, "Record") && run.log.names("update") === all.replace("Record ", ""),
        },
    },
    {
        title: "up --target n3, which is new and depends on a new h3",
        args: ["up", "--target", urn("n3"), ...plain],
        probes: [...cluster("b"), newHost, { name: "n3", after: ["h3"], value: "b" }],
        relies: {
            "Pulumi calls its check, and then refuses": ({ log, code, output }) =>
                code !== 0 && log.names("check") === "n3" && !called(log, "create") && /depends on/.test(output),
        },
    },
    {
        title: "up --target n2 of a program that lost n2",
        args: ["up", "--target", urn("n2"), "--target-dependents", ...plain],
        probes: without(cluster("b"), "n2"),
        relies: {
            "Pulumi silently keeps it, because in the state End depends on it": ({ log, code, stored }) =>
                code === 0 && log.calls.length === 0 && stored["n2"] === "a a",
        },
    },
    {
        title: "up --target End of a program that lost End",
        args: ["up", "--target", urn("End"), ...plain],
        probes: without(cluster("b"), "End"),
        relies: {
            "it is deleted, and no check is called: as in a destroy": ({ log }) =>
                log.names("delete") === "End" && log.calls.length === 1,
        },
    },
    {
        title: "destroy --target n2",
        args: ["destroy", "--target", urn("n2"), ...plain],
        probes: cluster("b"),
        relies: {
            "Pulumi refuses it, because in the state End depends on n2": ({ log, code, stored }) =>
                code !== 0 && log.calls.length === 0 && "n2" in stored,
        },
    },
    {
        title: "destroy --target h2 --target-dependents",
        args: ["destroy", "--target", urn("h2"), "--target-dependents", ...plain],
        probes: cluster("b"),
        relies: {
            "no check is called": ({ log }) => !called(log, "check"),
            "a dependent with an input from the target is compared, with this input unknown": ({ log }) =>
                log.of("diff").every(({ name, unknown }) => name === "n2" && unknown.join() === "hostId"),
            "what depends on the target is deleted first": ({ log }) =>
                log.names("delete") === "End h2 n2" && log.inOrder("delete End", "delete n2", "delete h2"),
        },
    },
];
