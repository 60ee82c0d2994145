// Network functions on a Vim, as the test says in args.json; run by the real engine.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { vim, cnfs } = JSON.parse(readFileSync("args.json", "utf8"));
const site = new nfv.Vim("site", vim);
const made = {};
for (const [name, { after = [], ...args }] of Object.entries(cnfs)) {
    made[name] = new nfv.Cnf(name, { vim: site, ...args }, { dependsOn: after.map(each => made[each]) });
}
