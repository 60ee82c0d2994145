// One operation in a process of its own, which tests stop and kill: node runner.js OPTIONS. Its events are JSON lines on standard output.
const { abortOnSignals, openSite, toLine } = require("pulumi-nfv/pipeline");

const { open, operation, args = [], options = {} } = JSON.parse(process.argv[2]);

(async () => {
    const site = await openSite(open);
    const onEvent = event => console.log(toLine(event));
    await site[operation](...args, { ...options, signal: abortOnSignals(), onEvent });
})().catch(error => {
    console.error(error.message);
    process.exitCode = error.exitCode ?? 99;
});
