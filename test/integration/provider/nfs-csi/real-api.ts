import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../../../../provider/identity/certificates";
import { KubeApi } from "../../../../provider/vim";
import type { ClusterAccess } from "../../../../provider/vim/check-cluster";
import { resolveTool } from "../../../../tools/resolver";
import { until } from "../../../support/eventually";
import { killTree } from "../../../support/kill-tree";
import { serverCertificate } from "../../../support/server-certificate";

/** Controllers that claims and volumes need. None runs pods: there are no nodes. */
const volumeControllers = [
    "persistentvolume-binder-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "serviceaccount-controller",
];

/** A real API server on 127.0.0.1 with its etcd and the controllers of volumes: a cluster without nodes. */
export class RealApi {
    readonly folder = mkdtempSync(join(tmpdir(), "nfv-api-"));
    readonly processes: ChildProcess[] = [];
    access!: ClusterAccess;
    private authority = "";

    /** `controllers`: those of Kubernetes' controller manager that run. */
    static async start(controllers: readonly string[] = volumeControllers): Promise<RealApi> {
        const api = new RealApi();
        await api.launch(controllers);
        return api;
    }

    get client(): KubeApi {
        return new KubeApi(this.access, this.access.auth);
    }

    /** A kubeconfig file for a token. */
    kubeconfig(name: string, token: string): string {
        const file = join(this.folder, `${name}.kubeconfig`);
        const cluster = { server: this.access.endpoint, "certificate-authority-data": base64(this.authority) };
        const config = {
            apiVersion: "v1",
            kind: "Config",
            "current-context": "c",
            clusters: [{ name: "c", cluster }],
            users: [{ name: "c", user: { token } }],
            contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
        };
        writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
        return file;
    }

    /** Starts a program whose output goes to a file. It ends with this process, also where that is killed. */
    run(name: string, argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
        const log = openSync(this.logOf(name), "a");
        const stdio: ["ignore", number, number] = ["ignore", log, log];
        const child = spawn("setpriv", ["--pdeathsig", "KILL", ...argv], { stdio, env: { ...process.env, ...env } });
        this.processes.push(child);
        return child;
    }

    output(name: string): string {
        return readFileSync(this.logOf(name), "utf8");
    }

    stop(): void {
        for (const { pid } of [...this.processes].reverse()) if (pid !== undefined) killTree(pid);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private logOf(name: string): string {
        return join(this.folder, `${name}.log`);
    }

    private async launch(controllers: readonly string[]): Promise<void> {
        const { programs: kubernetes } = await resolveTool("kubernetes");
        const { programs: etcd } = await resolveTool("etcd");
        const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
        const place = (name: string) => join(this.folder, name);
        const etcdUrl = `http://127.0.0.1:${etcdPort}`;
        this.run("etcd", [
            etcd["etcd"]!,
            `--data-dir=${place("etcd")}`,
            ...[`--listen-client-urls=${etcdUrl}`, `--advertise-client-urls=${etcdUrl}`],
            ...["listen-peer-urls", "initial-advertise-peer-urls"].map(
                flag => `--${flag}=http://127.0.0.1:${peerPort}`,
            ),
            `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
        ]);
        const authority = await createAuthority("test", 1);
        const server = await serverCertificate(authority);
        const accounts = generateKeyPairSync("rsa", {
            modulusLength: 2048,
            privateKeyEncoding: { type: "pkcs8", format: "pem" },
            publicKeyEncoding: { type: "spki", format: "pem" },
        });
        const files = {
            "server.crt": server.certificate,
            "server.key": server.key,
            "accounts.key": accounts.privateKey,
            "tokens.csv": "admin-token,admin,1,system:masters\n",
        };
        for (const [name, content] of Object.entries(files)) writeFileSync(place(name), content, { mode: 0o600 });
        mkdirSync(place("certificates"));
        this.authority = authority.certificate;
        const auth = { bearerToken: "admin-token" };
        this.access = { endpoint: `https://127.0.0.1:${port}`, caCertificate: authority.certificate, auth };
        this.run("api-server", [
            kubernetes["kube-apiserver"]!,
            ...[`--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, "--bind-address=127.0.0.1"],
            ...["--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none", "--authorization-mode=RBAC"],
            // as kubeadm does
            "--allow-privileged=true",
            ...[`--tls-cert-file=${place("server.crt")}`, `--tls-private-key-file=${place("server.key")}`],
            ...[`--token-auth-file=${place("tokens.csv")}`, `--cert-dir=${place("certificates")}`],
            ...["--service-account-issuer=https://test", `--service-account-key-file=${place("accounts.key")}`],
            ...[
                `--service-account-signing-key-file=${place("accounts.key")}`,
                "--service-cluster-ip-range=10.96.0.0/24",
            ],
        ]);
        await until(60, async () => (await this.client.get("/api/v1/namespaces/kube-system")) !== undefined);
        // the server makes its own roles after its start; without this one every account is refused to ask what kinds there are
        const discovery = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery";
        await until(60, async () => (await this.client.get(discovery)) !== undefined);
        this.run("controllers", [
            kubernetes["kube-controller-manager"]!,
            `--kubeconfig=${this.kubeconfig("admin", "admin-token")}`,
            ...[`--controllers=${controllers.join(",")}`, "--leader-elect=false", "--secure-port=0"],
            `--service-account-private-key-file=${place("accounts.key")}`,
        ]);
    }
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

function freePort(): Promise<number> {
    return new Promise(resolve => {
        const server = createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address() as { port: number };
            server.close(() => resolve(port));
        });
    });
}
