// A storage server as the test says in args.json; run by the real engine.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { name, ...args } = JSON.parse(readFileSync("args.json", "utf8"));
const { address, exports: paths, fingerprint, owner } = new nfv.StorageServer(name, args);
module.exports = { address, paths, fingerprint, owner };
