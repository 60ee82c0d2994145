import type { Lab } from "../../lab";
import { type RequestClient, startRequests } from "./request-client";

/** Asks the URLs one after the other, ten times a second, each time through a new connection. Needs no file of its own in the lab. */
const program = `
    const http = require("node:http");
    const urls = process.argv.slice(1);
    const ask = url => new Promise(resolve => {
        const request = http.get(url, { agent: false, timeout: 2000 }, answer => {
            answer.resume().on("end", () => resolve(answer.statusCode < 500 ? "" : "HTTP " + answer.statusCode));
        });
        request.on("timeout", () => request.destroy(new Error("no answer in time")));
        request.on("error", error => resolve(error.message));
    });
    (async () => {
        for (let i = 0; ; i++) {
            const began = Date.now();
            const url = urls[i % urls.length];
            console.log(JSON.stringify({ target: url, failure: await ask(url) }));
            await new Promise(resolve => setTimeout(resolve, Math.max(0, 100 - (Date.now() - began))));
        }
    })();`;

export function startHttpClient(lab: Pick<Lab, "enter">, urls: readonly string[]): RequestClient {
    return startRequests(lab, [process.execPath, "-e", program, ...urls]);
}
