// One cluster; its name and arguments are in args.json. Run by the real engine.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { name, args, alias } = JSON.parse(readFileSync("args.json", "utf8"));
new nfv.KubernetesCluster(name, args, alias ? { aliases: [{ name: alias }] } : {});
