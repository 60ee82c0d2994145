"use strict";
const fs = require("node:fs");
const { parse } = require("yaml");

/** Statuses of a login with the text of a clouds.yaml, and of a GET to a service. */
async function request(text, service, place) {
    const { auth } = parse(text).clouds.openstack;
    const credential = { id: auth.application_credential_id, secret: auth.application_credential_secret };
    const identity = { methods: ["application_credential"], application_credential: credential };
    const answer = await fetch(`${auth.auth_url.replace(/\/(v3\/?)?$/, "")}/v3/auth/tokens`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ auth: { identity } }),
    });
    if (service === undefined || answer.status !== 201) return { login: answer.status };
    const { token } = await answer.json();
    const { endpoints } = token.catalog.find(({ type }) => type === service);
    const { url } = endpoints.find(each => each.interface === "public");
    const headers = { "x-auth-token": answer.headers.get("x-subject-token") };
    const called = await fetch(url.replace(/\/$/, "") + place, { headers });
    return { login: answer.status, call: called.status, roles: token.roles.map(({ name }) => name) };
}

module.exports = { request };

if (require.main === module) {
    const [file, service, place] = process.argv.slice(2);
    request(fs.readFileSync(file, "utf8"), service, place).then(found => console.log(JSON.stringify(found)));
}
