"use strict";
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { name, ...args } = JSON.parse(readFileSync("args.json", "utf8"));
const server = new nfv.StorageServer(name, args);
exports.address = server.address;
