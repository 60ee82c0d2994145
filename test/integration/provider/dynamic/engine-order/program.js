// Notes in the log that the program runs, and registers the probes of args.json in their order: see ../engine-order.full.test.ts.
const { appendFileSync, readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const { provider, probes } = JSON.parse(readFileSync(`${__dirname}/args.json`, "utf8"));

module.exports = async () => {
    const { outputs: state } = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {
        stackName: pulumi.getStack(),
    });
    const known = Object.entries(state).map(([urn, { outputs }]) => [urn.split("::").at(-1), outputs?.value]);
    const isPreview = pulumi.runtime.isDryRun();
    const line = { method: "program", isPreview, state: Object.fromEntries(known), pid: process.pid };
    appendFileSync(process.env.PROBE_LOG, `${JSON.stringify(line)}\n`);

    const made = {};
    for (const { name, after, takes = {}, ...inputs } of probes) {
        const taken = Object.entries(takes).map(([input, [from, output]]) => [input, made[from][output]]);
        const properties = {
            ...{ name, ...inputs, ...Object.fromEntries(taken) },
            // The SDK offers an output that is no input only if it is named here.
            ...{ addedByCheck: undefined, addedByAct: undefined },
            __provider: `exports.handler = () => require(${JSON.stringify(provider)})`,
        };
        const dependsOn = after.map(each => made[each]);
        made[name] = new pulumi.CustomResource("pulumi-nodejs:dynamic/probe:Probe", name, properties, { dependsOn });
    }
};
