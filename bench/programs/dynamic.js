"use strict";
// So many dynamic resources that hold nothing and do nothing: what Pulumi itself costs.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const provider = { create: async () => ({ id: "id", outs: {} }) };
class Empty extends pulumi.dynamic.Resource {}
const { count } = JSON.parse(readFileSync("args.json", "utf8"));
for (let i = 0; i < count; i++) new Empty(provider, `empty-${i}`, {});
