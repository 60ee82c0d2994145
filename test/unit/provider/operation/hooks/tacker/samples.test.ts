import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { Server as SshServer, utils } from "ssh2";
import { noTackerSamples, tackerSamples } from "../../../../../../dev/tacker-samples";
import type { HookFacts } from "../../../../../../provider/operation/hooks/contract";
import { etsiName, type HookEvent, hookEvents } from "../../../../../../provider/operation/hooks/events";
import { runTackerScript } from "../../../../../../provider/operation/hooks/tacker/run-tacker-script";
import type { TackerSettings } from "../../../../../../provider/operation/hooks/tacker/settings";
import { readTackerPackage } from "../../../../../../provider/operation/hooks/tacker/vnfd";
import { skipIf } from "../../../../../support/skip";
import { factsOf, node, scaleOut } from "./fixtures";

const samples = join(tackerSamples, "samples");
/** A virtual environment made by `pip install tacker`. */
const python = process.env["PULUMI_NFV_TACKER_PYTHON"] ?? join(homedir(), ".cache/pulumi-nfv/tacker-venv/bin/python");

const sample = {
    basic: join(samples, "tests/functional/sol_v2_common/basic_lcms_max/contents"),
    cnf: join(samples, "tests/functional/sol_kubernetes_v2/test_instantiate_cnf_resources/contents"),
    kubernetes: join(samples, "mgmt_driver/kubernetes/sol_v2_kubernetes_vnf_package/contents"),
    kubernetesV1: join(samples, "mgmt_driver/kubernetes/kubernetes_vnf_package"),
};

const noPython = spawnSync("python3", ["--version"]).status === 0 ? undefined : "there is no python3";

const factsAt = (event: HookEvent): HookFacts => {
    const [, kind, rollback, moment] = /^(.*?)(_rollback)?_(start|end)$/.exec(etsiName(event))!;
    const change = { replaced: kind === "heal" ? ["w1"] : [], rollbackOf: rollback && "6" };
    return factsOf(kind as HookFacts["operation"]["kind"], moment as "start" | "end", change);
};

describe("sample scripts of Tacker, unchanged", () => {
    before(function () {
        skipIf(this, noTackerSamples() ?? noPython);
    });

    describe("of the CNF package (sample_script.py, standard library only)", () => {
        const facts = (event: HookEvent) => ({ packageFolder: sample.cnf, facts: factsAt(event) });

        it("run at each event that the package has a script for", async () => {
            const { scripts, flavourId } = readTackerPackage(sample.cnf);
            assert.equal(flavourId, "simple");
            assert.equal(Object.keys(scripts).length, 10);
            for (const event of hookEvents) assert.deepEqual(await runTackerScript(facts(event)), {}, event);
        });

        it("fail where they are made to fail", async function () {
            const trigger = "/tmp/scale_start";
            skipIf(this, existsSync(trigger) && `there is a file ${trigger}`);
            writeFileSync(trigger, "");
            try {
                const failed = runTackerScript(facts("scaleStart"));
                await assert.rejects(failed, { code: "HOOK_FAILED", message: /exit code 1\n.*test scale_start error/ });
            } finally {
                rmSync(trigger);
            }
        });
    });

    describe("of the VM package (sample_script.py, standard library only)", () => {
        it("run at no event, because the package names none", () => {
            assert.deepEqual(readTackerPackage(sample.basic).scripts, {});
        });

        it("know instantiation and termination, and refuse any other event", async () => {
            const run = (event: HookEvent) => {
                const script = "Scripts/sample_script.py";
                return runTackerScript({ packageFolder: sample.basic, script, facts: factsAt(event) });
            };
            const known: HookEvent[] = ["instantiateStart", "instantiateEnd", "terminateStart", "terminateEnd"];
            for (const event of known) assert.deepEqual(await run(event), {}, event);
            await assert.rejects(run("healEnd"), { message: /heal_end is not included in the script/ });
        });
    });

    it("of the package for version 1 of the API are not in the package: the error says so", () => {
        const read = () => readTackerPackage(sample.kubernetesV1, "simple");
        const message = /no file Definitions\/Scripts\/kubernetes_mgmt\.py\n.*for version 1 of Tacker's API/;
        assert.throws(read, { code: "INVALID_INPUT", message });
    });

    it("of the Kubernetes package are known for five events, in two flavours", () => {
        const { scripts } = readTackerPackage(sample.kubernetes, "complex");
        const events = ["scale_start", "scale_end", "heal_start", "heal_end", "instantiate_end"];
        assert.deepEqual(Object.keys(scripts).sort(), events.sort());
    });

    describe("of the Kubernetes package (kubernetes_mgmt_v2.py, imports tacker and paramiko)", () => {
        let cloud: FakeCloud;
        before(async function () {
            const imports = "import paramiko, tacker.sol_refactored.infra_drivers.openstack.heat_utils";
            const { status } = spawnSync(python, ["-W", "ignore", "-c", imports]);
            skipIf(this, status !== 0 && `${python} has no packages tacker and paramiko (PULUMI_NFV_TACKER_PYTHON)`);
            cloud = await FakeCloud.start();
        });
        after(() => cloud?.close());

        const login = { username: "ubuntu", password: "ubuntu" };
        const parameters = {
            k8s_cluster_installation_param: {
                script_path: "Scripts/install_k8s_cluster.sh",
                master_node: {
                    ...{ vdu_id: "masterNode", ssh_cp_name: "masterNode_CP1", nic_cp_name: "masterNode_CP1" },
                    ...{ cluster_cp_name: "masterNode_CP1", ...login },
                },
                worker_node: {
                    ...{ vdu_id: "workerNode", ssh_cp_name: "workerNode_CP1", nic_cp_name: "workerNode_CP1", ...login },
                },
            },
        };
        const run = (facts: HookFacts, given: Record<string, unknown> = parameters) => {
            const accessInfo = { ...login, project: "nfv", userDomain: "Default", projectDomain: "Default" };
            const settings: TackerSettings = {
                flavourId: "simple",
                vdus: { controlPlane: "masterNode", workers: "workerNode" },
                stack: { name: "vnf-1", id: "2" },
                vimConnectionInfo: {
                    vim1: {
                        vimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3",
                        interfaceInfo: { endpoint: `${cloud.url}/identity/v3` },
                        accessInfo,
                    },
                },
                vnfcs: { m1: { metadata: { stack_id: "nested-m1/3" } } },
            };
            return runTackerScript({
                packageFolder: sample.kubernetes,
                facts: { ...facts, parameters: given },
                settings,
                python,
            });
        };

        it("return at once where there is nothing to do", async () => {
            assert.deepEqual(await run(scaleOut("start")), {}); // its work is at the end
            const jumpServer = factsOf("heal", "start", { replaced: ["jump"] });
            assert.deepEqual(await run(jumpServer), {});
        });

        it("read the hook's parameters", async () => {
            await assert.rejects(run(factsAt("instantiateEnd"), {}), {
                code: "HOOK_FAILED",
                message: /The script_path in the additionalParams is invalid/,
            });
            for (const facts of [scaleOut("end"), factsOf("heal", "end", { replaced: ["w1"] })]) {
                await assert.rejects(run(facts, {}), { message: /master_node is not defined in additionalParams/ });
            }
            const { master_node } = parameters.k8s_cluster_installation_param;
            const incomplete = { script_path: "x", master_node: { ...master_node, vdu_id: undefined } };
            await assert.rejects(run(factsAt("instantiateEnd"), { k8s_cluster_installation_param: incomplete }), {
                message: /master_node vdu_id is not defined/,
            });
        });

        it("find their servers in Heat by stack, resource and grant", async () => {
            // Its only control-plane node is to be healed, which the script refuses after it has asked Heat for its address.
            await assert.rejects(run(factsOf("heal", "start", { replaced: ["m1"] })), {
                message: /Not all MasterNodes can be heal targets/,
            });
            assert.ok(cloud.asked.some(path => path.endsWith("/stacks/nested-m1/3/resources/masterNode_CP1")));
        });

        it("do all of their work on the machines when workers leave or are healed", async function () {
            const machine = await FakeMachine.start();
            skipIf(this, machine === undefined && `this user may not listen on port 22 of ${address}`);
            try {
                const before = [node("m1"), node("w1"), node("w2")];
                const after = [node("m1"), node("w1")];
                assert.deepEqual(await run(factsOf("scale", "start", { before, after, removed: ["w2"] })), {});
                const pods = "kubectl get pods --field-selector=spec.nodeName=worker99 --all-namespaces -o json";
                assert.equal(machine!.commands[0], pods);
                assert.equal(machine!.commands.filter(command => command.includes("/etc/hosts")).length > 1, true);
                machine!.commands.length = 0;
                assert.deepEqual(await run(factsOf("heal", "start", { before, after: before, replaced: ["w2"] })), {});
                assert.deepEqual(machine!.commands, [pods]);
            } finally {
                machine?.close();
            }
        });
    });
});

/** As much of Keystone and Heat as a script needs to learn the address of a port. */
class FakeCloud {
    readonly asked: string[] = [];

    private constructor(private readonly server: Server) {}

    static async start(): Promise<FakeCloud> {
        const server = createServer();
        const cloud = new FakeCloud(server);
        server.on("request", ({ url = "" }, response) => {
            cloud.asked.push(url);
            response.setHeader("Content-Type", "application/json");
            if (url.endsWith("/auth/tokens")) response.writeHead(201, { "X-Subject-Token": "t" });
            response.end(JSON.stringify(url.startsWith("/identity") ? cloud.identity(url) : port));
        });
        await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
        return cloud;
    }

    get url(): string {
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    close(): void {
        this.server.close();
        this.server.closeAllConnections();
    }

    private identity(url: string): object {
        if (!url.endsWith("/auth/tokens")) {
            const links = [{ rel: "self", href: `${this.url}/identity/v3/` }];
            return { version: { id: "v3.14", status: "stable", links } };
        }
        const endpoint = { id: "e", interface: "public", region: "r", region_id: "r", url: `${this.url}/heat/v1/p` };
        const heat = { id: "c", type: "orchestration", name: "heat", endpoints: [endpoint] };
        const domain = { id: "default", name: "Default" };
        const project = { id: "p", name: "nfv", domain };
        const user = { id: "u", name: "ubuntu", domain };
        const times = { issued_at: "2026-01-01T00:00:00.000000Z", expires_at: "2099-01-01T00:00:00.000000Z" };
        return { token: { methods: ["password"], user, project, roles: [], catalog: [heat], ...times } };
    }
}

const address = "127.0.0.99";
const port = { resource: { attributes: { fixed_ips: [{ ip_address: address }] } } };

/** A machine that notes commands and knows one answer to all of them: there are no pods. */
class FakeMachine {
    readonly commands: string[] = [];
    private readonly server: SshServer;

    private constructor() {
        const { private: key } = utils.generateKeyPairSync("ed25519");
        this.server = new SshServer({ hostKeys: [key] }, client => {
            client.on("authentication", login => (login.method === "password" ? login.accept() : login.reject()));
            client.on("session", accept =>
                accept().on("exec", (acceptCommand, _, { command }) => {
                    this.commands.push(command);
                    const stream = acceptCommand();
                    stream.write('{"items": []}\n');
                    stream.exit(0);
                    stream.end();
                }),
            );
            client.on("error", () => {}); // the script does not say goodbye
        });
    }

    /** Undefined: only root may listen on port 22. */
    static start(): Promise<FakeMachine | undefined> {
        const machine = new FakeMachine();
        return new Promise(resolve => {
            machine.server.once("error", () => resolve(undefined));
            machine.server.listen(22, address, () => resolve(machine));
        });
    }

    close(): void {
        this.server.close();
    }
}
