// Runs inline programs of two stacks side by side in this process: see two-stacks.test.ts. Argument: up or destroy.
const { readFileSync } = require("node:fs");
const automation = require("@pulumi/pulumi/automation");
const nfv = require("pulumi-nfv");

const clusters = JSON.parse(readFileSync(`${__dirname}/args.json`, "utf8"));

async function run([stackName, args], operation) {
    const program = async () => {
        const core = new nfv.KubernetesCluster("core", args);
        return { clusterId: core.clusterId, operation: core.operation };
    };
    const stack = await automation.LocalWorkspace.createOrSelectStack(
        { stackName, projectName: "clusters", program },
        { projectSettings: { name: "clusters", runtime: "nodejs", main: __dirname } },
    );
    const { summary, outputs } = await stack[operation]();
    return { result: summary.result, changes: summary.resourceChanges, clusterId: outputs?.clusterId.value };
}

Promise.all(Object.entries(clusters).map(cluster => run(cluster, process.argv[2]))).then(
    results => console.log(JSON.stringify(results)),
    error => {
        console.error(error.commandResult ? `${error.commandResult.stdout}${error.commandResult.stderr}` : error);
        process.exitCode = 1;
    },
);
