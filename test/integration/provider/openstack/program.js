// A program whose one machine waits for the check of the cloud; run by the real engine.
const { readFileSync } = require("node:fs");
const { package: root, needs, cloud, late } = JSON.parse(readFileSync("args.json", "utf8"));
const { ClusterId, CloudCheck } = require(`${root}/dist/provider/adapters/dynamic`);

if (late) {
    // Known only once something else is made.
    const first = new ClusterId("first", { clusterName: "first" });
    needs.podCidr.name = first.clusterId.apply(id => (id ? "10.20.0.0/16" : id));
}
const check = new CloudCheck("cloud", { needs, cloud });
new ClusterId("core", { clusterName: "core" }, { dependsOn: [check] });
