// One network function on a Vim, as the test says in args.json; run by the real engine.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { vim, name, aliases, ...args } = JSON.parse(readFileSync("args.json", "utf8"));
new nfv.Cnf(name, { vim: new nfv.Vim("site", vim), ...args }, { aliases });
