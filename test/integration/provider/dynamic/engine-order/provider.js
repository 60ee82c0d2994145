// The methods of a probe: each notes its begin and its end in the log. See ../engine-order.full.test.ts.
const { appendFileSync } = require("node:fs");
const { setTimeout: sleep } = require("node:timers/promises");

/** What Pulumi's SDK writes in place of a value that is not known yet. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** Probes of which this process has run a method: what our session would know of them. */
const seen = { check: new Set(), read: new Set() };

const note = line => appendFileSync(process.env.PROBE_LOG, `${JSON.stringify({ ...line, pid: process.pid })}\n`);
const outputsOf = inputs => ({ ...inputs, addedByAct: `acted on ${inputs.name}` });

async function noted(method, olds, news, answer) {
    const { name, seconds = 0.05, fails } = news ?? olds;
    const unknownInputs = Object.keys(news ?? {}).filter(key => news[key] === unknown);
    const noticed = { isNew: Object.keys(olds ?? {}).length === 0, unknown: unknownInputs, taken: news?.taken };
    note({ method, name, at: "begin", ...noticed, checked: [...seen.check], read: [...seen.read] });
    seen[method]?.add(name);
    const acts = ["create", "update", "delete"].includes(method);
    // Long enough that reads which may run together do so on a slow machine, too.
    if (acts || method === "read") await sleep((acts ? seconds : 0.5) * 1000);
    const failed = acts && fails === true && method !== "delete";
    note({ method, name, at: failed ? "failed" : "end" });
    if (failed) throw new Error(`${name} fails, as its input says`);
    return answer;
}

module.exports = {
    check: (olds, news) => noted("check", olds, news, { inputs: { ...news, addedByCheck: `checked ${news.name}` } }),
    diff: (_id, olds, news) => {
        const differs = key => news[key] === unknown || olds[key] !== news[key];
        const replaces = ["machine", "hostId"].filter(differs);
        const changes = !news.saysNoChange && (differs("value") || replaces.length > 0);
        return noted("diff", olds, news, { changes, replaces, deleteBeforeReplace: news.deletedFirst === true });
    },
    create: inputs =>
        noted("create", undefined, inputs, { id: `${inputs.name}-${process.pid}`, outs: outputsOf(inputs) }),
    update: (_id, olds, news) => noted("update", olds, news, { outs: outputsOf(news) }),
    read: (id, props) => {
        const drift = process.env.PROBE_DRIFT === props.name ? { value: "drifted" } : {};
        return noted("read", props, undefined, { id, props: { ...props, ...drift } });
    },
    delete: (_id, props) => noted("delete", props, undefined, undefined),
};
