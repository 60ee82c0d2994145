import { all, called, change, checksFollowActs, cluster, plain, type Row, without } from "./graph";

const changed = change(cluster("b"), { h1: { seconds: 1.5 }, h2: { seconds: 1.5 } });

/** Runs of `up` in which nothing is replaced and nothing fails. */
export const upRows: Row[] = [
    {
        title: "up",
        args: ["up", ...plain],
        probes: changed,
        relies: {
            "one process hosts all resources": ({ log }) => log.pids.length === 1,
            "each resource gets check, diff and update once, in this order": ({ log }) =>
                log.calls.length === 21 &&
                changed.every(({ name }) => log.inOrder(`check ${name}`, `diff ${name}`, `update ${name}`)),
            "a check begins after the updates of all that the resource depends on": run =>
                checksFollowActs(run, changed, "update"),
            "so an update knows of no check of a resource that depends on it": ({ log }) =>
                log.of("update Start")[0]!.checked.join() === "Record,Start",
            "resources that do not depend on each other act at the same time": ({ log }) =>
                log.overlap("update h1", "update h2"),
        },
    },
    {
        title: "up with its own preview",
        args: ["up", "--yes"],
        probes: without(cluster("b"), "n2", "h2"),
        relies: {
            "the program runs for the preview and again for the update": ({ log }) =>
                log.programs.map(({ isPreview }) => isPreview).join() === "true,false",
            "preview and update have a process each, so facts of the preview are not there in the update": ({ log }) =>
                log.pids.length === 2 && log.of("check Record").every(({ checked }) => checked.length === 0),
            "the preview asks for check and diff, and lets nothing act": ({ log }) => {
                const preview = log.calls.filter(({ pid }) => pid === log.pids[0]);
                return preview.length === 10 && preview.every(({ method }) => /check|diff/.test(method));
            },
            "deletes come after everything else, also after End": ({ log }) => log.inOrder("update End", "delete n2"),
            "what depended on others is deleted first": ({ log }) => log.inOrder("delete n2", "delete h2"),
            "nothing but delete is called of what is deleted, and nothing at preview": ({ log }) =>
                ["n2", "h2"].every(name => log.calls.filter(call => call.name === name).length === 1),
            "a delete runs in the process that has checked the others": ({ log }) =>
                log.of("delete n2")[0]!.checked.join() === "Record,Start,h1,n1,End",
        },
    },
    {
        title: "preview of a record that changes",
        args: ["preview"],
        probes: [
            ...cluster("b"),
            ...["value", "addedByCheck", "addedByAct", "id"].map(output => ({
                ...{ name: `takes ${output}`, after: [], value: "a" },
                takes: { taken: ["Record", output] satisfies [string, string] },
            })),
        ],
        relies: {
            "its id and outputs that are inputs of the same name are known": ({ log }) =>
                ["value", "id"].every(output => log.of(`check takes ${output}`)[0]!.unknown.length === 0),
            "so is an input that its check has added": ({ log }) =>
                log.of("check takes addedByCheck")[0]!.unknown.length === 0,
            "an output that is no input is unknown, although the update would not change it": ({ log }) =>
                log.of("check takes addedByAct")[0]!.unknown.join() === "taken",
        },
    },
    {
        title: "up in which Record says that nothing changes, although its inputs do",
        args: ["up", "--expect-no-changes", ...plain],
        probes: change(cluster(), {
            Record: { value: "b", saysNoChange: true },
            End: { takes: { taken: ["Record", "value"] } },
        }),
        relies: {
            "it counts as no change": ({ code, log }) => code === 0 && !called(log, "update"),
            "a dependent that takes an output receives the old one, also if it is an input of the same name": ({
                log,
            }) => log.of("check End")[0]!.taken === "a",
            "the state gets the new inputs, and keeps the outputs": ({ stored }) => stored["Record"] === "b a",
        },
    },
    {
        title: "up where only Pulumi's configuration changed",
        args: ["up", ...plain],
        probes: cluster(),
        config: { some: "value" },
        relies: {
            "one process hosts all resources": ({ log }) => log.pids.length === 1,
            "nothing is updated": ({ log }) => log.names("check") === all && !called(log, "update"),
        },
    },
];
