"use strict";
const fs = require("node:fs");
const path = require("node:path");
const pulumi = require("@pulumi/pulumi");
const { request } = require("./request");

const components = path.dirname(require.resolve("pulumi-nfv"));
const { cloudLogin } = require(path.join(components, "cluster-api/cloud-login.js"));

const config = new pulumi.Config();
const site = new pulumi.ComponentResource("test:index:Site", "site");
const login = cloudLogin(site, {
    name: "site",
    identity: { secretName: "site", cloudName: "openstack" },
    openstack: { identity: config.requireObject("identity") },
});

/** When the Secret would change: whether both logins work. */
async function note(text) {
    if (pulumi.runtime.isDryRun()) return;
    const file = config.require("file");
    const former = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : text;
    const statuses = [(await request(text)).login, (await request(former)).login];
    fs.writeFileSync(`${file}.statuses`, JSON.stringify(statuses));
    fs.writeFileSync(file, text, { mode: 0o600 });
}

login.apply(note);
exports.login = login;
