import assert from "node:assert/strict";
import { parse } from "yaml";
import { renderKubeconfig } from "../../../../provider/identity";

const access = { name: "core", endpoint: "https://10.0.0.100:6443", ca: "PEM of the CA\n" };

describe("a kubeconfig", () => {
    it("holds server, authority and client certificate, and a context that joins them", () => {
        const config = parse(renderKubeconfig({ ...access, clientCert: "CERT", clientKey: "KEY" }));
        const context = config.contexts.find((c: { name: string }) => c.name === config["current-context"]).context;
        const cluster = config.clusters.find((c: { name: string }) => c.name === context.cluster).cluster;
        const user = config.users.find((u: { name: string }) => u.name === context.user).user;
        assert.equal(cluster.server, access.endpoint);
        assert.equal(Buffer.from(cluster["certificate-authority-data"], "base64").toString(), access.ca);
        assert.equal(Buffer.from(user["client-key-data"], "base64").toString(), "KEY");
        assert.equal(Buffer.from(user["client-certificate-data"], "base64").toString(), "CERT");
    });

    it("holds a token instead when one is given", () => {
        const [{ user }] = parse(renderKubeconfig({ ...access, token: "secret-token" })).users;
        assert.deepEqual(user, { token: "secret-token" });
    });

    it("leaves the server unverified only without an authority", () => {
        const text = renderKubeconfig({ name: "x", endpoint: "https://x", token: "t" });
        assert.equal(parse(text).clusters[0].cluster["insecure-skip-tls-verify"], true);
        assert.ok(!renderKubeconfig({ ...access, token: "t" }).includes("insecure"));
    });

    it("is the same text for the same access", () => {
        const render = () => renderKubeconfig({ ...access, token: "t", namespace: "cnf" });
        assert.equal(render(), render());
        assert.equal(parse(render()).contexts[0].context.namespace, "cnf");
    });
});
