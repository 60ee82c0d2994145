"use strict";
// Workload clusters on a management cluster of another program, each with at most one network function.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { management, workloads } = JSON.parse(readFileSync("args.json", "utf8"));
const managementVim = new nfv.Vim("management", management);
for (const [name, { cnf, ...args }] of Object.entries(workloads)) {
    const cluster = new nfv.WorkloadCluster(name, { managementVim, ...args });
    if (cnf) new nfv.Cnf(`${name}-web`, { vim: cluster.vim, ...cnf });
}
