import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { addOnFindings } from "../../../../provider/cluster/add-ons-look";
import { dnsQuestion } from "../../../../provider/network/dns-question";
import { addOnsScript, spreadCoreDnsScript } from "../../../../provider/network/scripts";
import { runWithKubectl } from "./fake-kubectl";

describe("the question to a cluster's DNS", () => {
    /** An answer to a question: its number and name, with this error code. */
    const answerTo = (question: Buffer, code: number) => {
        const answer = Buffer.from(question);
        answer.writeUInt16BE(0x8180 | code, 2);
        return answer;
    };
    /** Asks a server that answers so over UDP and TCP; undefined: not at all. */
    const ask = async (
        udp: number | undefined,
        tcp: number | undefined,
        name = "kubernetes.default.svc.cluster.local",
    ) => {
        const asked: string[] = [];
        const server = createServer(socket => {
            socket.on("error", () => {});
            socket.on("data", data => {
                if (tcp === undefined) return void socket.destroy();
                const answer = answerTo(data.subarray(2), tcp);
                socket.write(Buffer.concat([Buffer.from([0]), Buffer.from([answer.length]), answer]));
            });
        });
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        const socket = createSocket("udp4", (data, from) => {
            asked.push(data.subarray(12).toString("latin1"));
            if (udp !== undefined) socket.send(answerTo(data, udp), from.port, from.address);
        });
        await new Promise<void>(resolve => socket.bind(port, "127.0.0.1", resolve));
        try {
            const program = dnsQuestion.replaceAll(", 53)", `, ${port})`);
            const child = spawn("python3", ["-c", program, "127.0.0.1", name, "0.5"]);
            let said = "";
            child.stdout.on("data", text => (said += text));
            child.stderr.on("data", text => (said += text));
            await new Promise(resolve => child.once("close", resolve));
            return { said: said.trim(), asked };
        } finally {
            server.close();
            socket.close();
        }
    };

    it("is answered by an address, and by the word that there is none", async () => {
        const { said, asked } = await ask(0, undefined);
        assert.equal(said, "answers");
        assert.match(asked[0]!.replace(/\p{Cc}/gu, "."), /^.kubernetes.default.svc.cluster.local/);
        assert.equal((await ask(3, undefined)).said, "answers");
    });
    it("is asked again over TCP where UDP is silent", async () =>
        assert.equal((await ask(undefined, 0)).said, "answers"));
    it("is not answered by an error, nor by silence, and says why", async () => {
        assert.match(
            (await ask(2, 2)).said,
            /^silent: 127.0.0.1 does not tell the address of kubernetes.*error code 2$/,
        );
        assert.match((await ask(undefined, undefined)).said, /^silent: .*(closed|reset)/);
    });
});

const nodes = { when: /get nodes/, stdout: "|True|\n" };
const rollout = { when: /rollout status/ };
const service = { when: /get service kube-dns/, stdout: "127.0.0.1" };
const deployment = { when: /get deployment coredns/, stdout: "deployment.apps/coredns" };
const began = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString().replace(/\.\d+/, "");

describe("the end of a run, for the cluster's DNS", () => {
    const end = (rows: Parameters<typeof runWithKubectl>[2], wait = "0") =>
        runWithKubectl(spreadCoreDnsScript, { SECONDS_TO_WAIT: wait }, [rollout, ...rows, nodes]);

    it("is no success while CoreDNS ends again and again, whatever its Deployment says", () => {
        const { code, stderr } = end([
            service,
            deployment,
            { when: /state.waiting.reason/, stdout: "coredns-1 CrashLoopBackOff\n" },
            { when: /logs .*--previous/, stdout: "[FATAL] plugin/loop: Loop detected\n" },
        ]);
        assert.equal(code, 1);
        assert.match(stderr, /the cluster's DNS is not well: coredns-1: CrashLoopBackOff[\s\S]*Loop detected/);
    });

    it("waits until CoreDNS has run for some seconds: it is ready for a moment each time", () => {
        const started = (seconds: number) => [
            { when: /running.startedAt/, stdout: `${began(60)}\n${began(seconds)}\n` },
        ];
        assert.equal(end(started(2)).code, 1);
        assert.equal(end(started(2), "8").code, 0, "it stays ready");
        assert.equal(end(started(30)).code, 0);
    });

    it("is no success while nothing answers at the address of the Service", () => {
        // nothing listens there
        const { code, stderr } = end([service, deployment]);
        assert.equal(code, 1);
        assert.match(
            stderr,
            /DNS is not well: silent: 127.0.0.1 does not tell the address of kubernetes.default.svc.cluster.local/,
        );
    });
});

describe("a refresh's look at add-ons", () => {
    const names = "kube-system/coredns kube-system/kube-proxy kube-flannel/kube-flannel-ds";
    const workloads = (...lines: string[]) => ({ when: /get deployments,daemonsets/, stdout: `${lines.join("\n")}\n` });
    const look = (rows: Parameters<typeof runWithKubectl>[2]) => {
        const { code, stdout, stderr } = runWithKubectl(addOnsScript, { ADD_ONS: names }, rows);
        assert.deepEqual([code, stderr], [0, ""]);
        return addOnFindings(stdout);
    };

    it("finds nothing where all of ours are available, and looks at no others", () => {
        const found = look([
            workloads(
                "kube-system/coredns|Deployment|2|2",
                "kube-system/kube-proxy|DaemonSet|3|2",
                "shop/coredns|Deployment|2|",
                "kube-flannel/kube-flannel-ds|DaemonSet|0|",
            ),
        ]);
        assert.deepEqual(found, []);
    });

    it("finds none while a node is not Ready, which is found by itself", () => {
        const down = { when: /get nodes/, stdout: "m1 True\nw1 Unknown\n" };
        assert.deepEqual(look([workloads("kube-system/coredns|Deployment|2|"), down]), []);
    });

    it("finds the ones that are not, a CoreDNS that ends again and again, and a DNS that is silent", () => {
        const found = look([
            workloads("kube-system/coredns|Deployment|2|", "kube-flannel/kube-flannel-ds|DaemonSet|2|0"),
            { when: /state.waiting.reason/, stdout: "coredns-1 CrashLoopBackOff\ncoredns-2 \n" },
            service,
            deployment,
        ]);
        assert.deepEqual(
            found.map(({ code }) => code),
            ["unavailable-coredns", "unavailable-kube-flannel-ds", "dns-crashing", "dns-silent"],
        );
        for (const { person, up } of found) assert.ok(person !== undefined && up === undefined, "a person has to look");
        assert.match(found[2]!.text, /CoreDNS ends again and again \(coredns-1: CrashLoopBackOff\)/);
    });

    it("finds an add-on that fails on one node and is available on others", () => {
        const pods = [
            "kube-system/kube-proxy w1 ",
            "kube-system/kube-proxy w2 CrashLoopBackOff",
            "kube-system/mine w2 ErrImagePull",
        ];
        const found = look([
            workloads("kube-system/kube-proxy|DaemonSet|2|1"),
            { when: /-n kube-system get pods -o .*ownerReferences/, stdout: `${pods.join("\n")}\n` },
        ]);
        assert.deepEqual(
            found.map(({ code, text }) => [code, text]),
            [
                [
                    "failing-kube-proxy",
                    "the add-on kube-system/kube-proxy does not run on some nodes (w2: CrashLoopBackOff)",
                ],
            ],
        );
    });

    it("finds nothing in what is away for a moment, such as pods that move", () => {
        const gone = workloads("kube-system/coredns|Deployment|2|");
        const found = look([
            { ...gone, until: /get deployments,daemonsets/ },
            workloads("kube-system/coredns|Deployment|2|1"),
        ]);
        assert.deepEqual(found, []);
    });

    it("knows nothing where the API does not answer: that is no finding about the cluster's DNS", () => {
        const late = (when: RegExp) => ({ when, code: 1, stderr: "Unable to connect: context deadline exceeded" });
        const all = [workloads("kube-system/coredns|Deployment|2|2"), service, deployment];
        for (const when of [
            /get deployments,daemonsets/,
            /get nodes/,
            /get service kube-dns/,
            /get deployment coredns/,
        ]) {
            const { code, stdout, stderr } = runWithKubectl(addOnsScript, { ADD_ONS: names }, [late(when), ...all]);
            assert.deepEqual([code, stdout], [1, ""], String(when));
            assert.match(stderr, /deadline exceeded|the API does not answer/);
        }
    });
});
