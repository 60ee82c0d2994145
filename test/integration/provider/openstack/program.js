// A program whose one machine waits for the check of the cloud; run by the real engine.
const { readFileSync } = require("node:fs");
const { package: root, needs, cloud, late } = JSON.parse(readFileSync("args.json", "utf8"));
const { ClusterIdentity, CloudCheck } = require(`${root}/dist/provider/dynamic`);

if (late) {
    // Known only once something else is made.
    const first = new ClusterIdentity("first", { clusterName: "first" });
    needs.podCidr.name = first.clusterId.apply(id => (id ? "10.20.0.0/16" : id));
}
const check = new CloudCheck("cloud", { needs, cloud });
new ClusterIdentity("core", { clusterName: "core" }, { dependsOn: [check] });
