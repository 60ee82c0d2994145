// A program of machines as the test describes them in machines.json; run by the real engine.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { package: root, clusterName, rotate, machines } = JSON.parse(readFileSync("machines.json", "utf8"));
const { ClusterId, ClusterKeys, Host, Masters, Node } = require(`${root}/dist/provider/adapters/dynamic`);
const { caCertHash, controlPlaneKeys } = require(`${root}/dist/provider/identity`);
const { hostSteps } = require(`${root}/dist/provider/host/host-steps`);
const { nodeSteps } = require(`${root}/dist/provider/member/node-steps`);
const { plannedSteps } = require(`${root}/dist/components/preview/planned-steps`);

const identity = new ClusterId("core", { clusterName });
const { clusterId, fingerprintKey } = identity;
const { certificates, keys } = new ClusterKeys("core", { clusterId, rotate, ...(rotate && { fingerprintKey }) });
const caCertificate = certificates.apply(({ current }) => current.caCertificate);
const fingerprint = certificates.apply(({ current }) => current.fingerprint);
const authority = caCertificate.apply(caCertHash);
const keysOfMasters = pulumi
    .all([certificates, keys])
    .apply(([published, secret]) => controlPlaneKeys({ certificates: published.current, keys: secret }));
const controlPlane = machines
    .filter(({ host }) => host.role === "controlPlane")
    .map(({ name, connection }) => ({ name, connection }));
const masters = new Masters("core", { clusterId, peers: JSON.stringify(controlPlane) });
let before = [];
for (const { name, connection, host, node } of machines) {
    const hostSpec = { ...host, clusterId, caCertHash: authority };
    const sample = { clusterId: "core-0", caCertHash: "sha256:0" };
    const steps = plannedSteps(hostSteps, hostSpec, fingerprintKey, sample);
    const made = new Host(name, { spec: hostSpec, connection, fingerprintKey, steps }, { dependsOn: [masters] });
    const nodeSpec = { ...node, clusterId, identity: { clusterId, caCertHash: authority, fingerprint } };
    if (node.role === "controlPlane") nodeSpec.keys = keysOfMasters;
    const known = new Node(
        name,
        {
            spec: nodeSpec,
            connection,
            controlPlane,
            fingerprintKey,
            // The sample has no keys: what preview shows first does not matter here.
            steps: plannedSteps(nodeSteps("join"), { ...nodeSpec, keys: nodeSpec.keys }, fingerprintKey, sample),
        },
        // As a KubernetesCluster does it: a whole destroy asks no node to leave.
        { dependsOn: [made, ...before], deletedWith: identity },
    );
    before = [known];
}
exports.clusterId = clusterId;
exports.caCertificate = caCertificate;
