"use strict";
// Uses what a language host and a plugin must pass on: hooks, dynamic resources, objects of Kubernetes. `slow`: seconds for each create.
const { spawn } = require("node:child_process");
const pulumi = require("@pulumi/pulumi");
const kubernetes = require("@pulumi/kubernetes");

const config = new pulumi.Config();
const slow = config.getNumber("slow") ?? 0;
const provider = {
    create: async inputs => {
        await new Promise(resolve => setTimeout(resolve, inputs.slow * 1000));
        return { id: "one", outs: { text: `${inputs.text}!` } };
    },
    diff: async (_, olds, news) => ({ changes: olds.text !== `${news.text}!` }),
    update: async (_, __, news) => ({ outs: { text: `${news.text}!` } }),
    read: async (id, props) => ({ id, props }),
    delete: async () => {},
};
class Thing extends pulumi.dynamic.Resource {
    constructor(name, args, options) {
        super(provider, name, args, options);
    }
}

const seen = new pulumi.ResourceHook("seen", ({ name }) => console.log(`hook: ${name} is there`));
exports.text = new Thing("thing", { text: config.require("text"), slow }, { hooks: { afterCreate: [seen] } }).text;
// The plugin writes files instead of asking a cluster.
const rendered = new kubernetes.Provider("rendered", { renderYamlToDirectory: "rendered" });
new kubernetes.core.v1.ConfigMap("settings", { metadata: { name: "settings" }, data: { a: "1" } }, { provider: rendered });
// What a program left behind, in a test that kills the CLI.
if (config.getBoolean("leaves")) spawn("sleep", ["600"], { stdio: "ignore" }).unref();
