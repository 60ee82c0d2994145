// The report of a workload cluster's credentials, as the test says in args.json; run by the real engine.
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const pulumi = require("@pulumi/pulumi");

const { CredentialReport } = require(join(dirname(require.resolve("pulumi-nfv/provider")), "adapters/dynamic.js"));
const { report } = JSON.parse(readFileSync("args.json", "utf8"));
if (report) {
    const { credentials, token, ...others } = report;
    new CredentialReport("site", { ...others, token: pulumi.secret(token), credentials: pulumi.secret(credentials) });
}
