// A cluster and what uses its access, with secrets of the user's in it: see event-stream.test.ts.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

module.exports = async () => {
    const { cluster, canary } = JSON.parse(readFileSync(`${__dirname}/args.json`, "utf8"));
    const core = new nfv.KubernetesCluster("core", cluster);
    // Somebody else's resource that gets our secrets: the SDK's messages about it hold them as well.
    const kubeconfig = pulumi.secret(pulumi.interpolate`${core.kubeconfig}`);
    new pulumi.Stash("others", { input: { kubeconfig, canary: pulumi.secret(canary) } });
    pulumi.log.debug("a remark of the program");
    return { kubeconfig: core.kubeconfig, token: core.vim.bearerToken };
};
