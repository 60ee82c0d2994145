import assert from "node:assert/strict";
import { join } from "node:path";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";
import { parseLivingMembers } from "../../../../provider/kubeadm/living-member";
import { pkiFolder } from "../../../../provider/kubeadm/paths";
import { usualPath } from "../../../../provider/shell/script";
import { runWithKubectl } from "../network/fake-kubectl";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("who works under the name or address of a machine", () => {
    const members =
        "1a, started, m1, https://10.0.0.11:2380, https://10.0.0.11:2379, false\n" +
        "2b, started, m2, https://10.0.0.12:2380, https://10.0.0.12:2379, false\n" +
        "3c, unstarted, , https://10.0.0.13:2380, , true\n";
    const nodes = "m1 True 10.0.0.11\nm2 True 10.0.0.12\nw1 Unknown 10.0.0.21\nw2 True 10.0.0.22\n";
    const seen = (name: string, address: string, dead = /never/, away = /never/) => {
        const env = { NAME: name, ADDRESS: address, PEER: `https://${address}:2380` };
        const curl = `curl() { echo '{"members":[{"name":"m1","peerURLs":["https://10.0.0.11:2380"]},{"name":"m2","peerURLs":["https://10.0.0.12:2380"]},{"peerURLs":["https://10.0.0.13:2380"]}]}'; }\n`;
        const script = `sleep() { :; }\n${curl}${kubeadmScript("kubeadm/print-living-member.sh")}`;
        const { code, stdout, stderr } = runWithKubectl(script, env, [
            { when: dead, code: 1 },
            { when: away, until: away, code: 1, stderr: "no route to host" },
            { when: /member list/, stdout: members },
            { when: /get pods/, stdout: "pod/etcd-m1\n" },
            { when: /get nodes/, stdout: nodes },
        ]);
        assert.equal(code, 0, stderr);
        return parseLivingMembers(stdout).map(({ kind, name: who, place }) => `${kind} ${who} ${place}`);
    };

    it("is a member of etcd that answers, and a Node that is Ready", () => {
        assert.deepEqual(seen("m2", "10.0.0.12"), ["etcd m2 https://10.0.0.12:2379", "node m2 10.0.0.12"]);
        assert.deepEqual(seen("m2", "10.0.0.99"), ["etcd m2 https://10.0.0.12:2379", "node m2 10.0.0.12"]);
        assert.deepEqual(seen("m4", "10.0.0.12"), ["etcd m2 https://10.0.0.12:2379", "node m2 10.0.0.12"]);
        assert.deepEqual(seen("w2", "10.0.0.22"), ["node w2 10.0.0.22"]);
    });

    it("is asked for again while the virtual address moves", () => {
        assert.deepEqual(seen("w2", "10.0.0.22", undefined, /get nodes/), ["node w2 10.0.0.22"]);
        assert.throws(() => seen("w2", "10.0.0.22", /get nodes/));
    });

    it("is nobody where etcd does not answer and the Node is not Ready, and where there is none", () => {
        assert.deepEqual(seen("m2", "10.0.0.12", /endpoints=https:\/\/10\.0\.0\.12/), ["node m2 10.0.0.12"]);
        for (const [name, address] of [
            ["m3", "10.0.0.13"],
            ["w1", "10.0.0.21"],
            ["m", "10.0.0.1"],
        ] as const)
            assert.deepEqual(seen(name, address), []);
    });
});

describe("a machine proves that it is a node", () => {
    let shell: ShellRun;
    const at = (name: string) => join(shell.folder, name);
    const challenge = "pulumi-nfv core-1/m2 0123";
    const run = (path: string, values: Record<string, string>) => {
        const script = kubeadmScript(path)
            .replace(usualPath, "")
            .replaceAll("/var/lib/kubelet/pki/kubelet-client-current.pem", at("client.pem"))
            .replaceAll(pkiFolder, shell.folder);
        const set = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`);
        const { status, stdout, stderr } = shell.run(set.join("") + script);
        assert.equal(status, 0, stderr);
        return stdout;
    };
    /** A client certificate by an authority, ended already. */
    const issue = (subject: string, authority = "ca") => {
        const made = shell.run(`
            openssl ecparam -name prime256v1 -genkey -noout -out key
            openssl req -new -key key -subj '${subject}' -out request
            openssl x509 -req -in request -CA ${authority}.crt -CAkey ${authority}.key -CAcreateserial -not_after 20200102000000Z -not_before 20200101000000Z -out crt 2>/dev/null ||
                openssl x509 -req -in request -CA ${authority}.crt -CAkey ${authority}.key -CAcreateserial -days -1 -out crt
            cat crt key > client.pem
        `);
        assert.equal(made.status, 0, made.stderr);
    };
    const said = () => {
        const text = run("kubeadm/prove-machine.sh", { CHALLENGE: challenge });
        const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
        return { CERTIFICATE: value("certificate"), SIGNATURE: value("signature") };
    };
    const verified = (changes = {}) =>
        run("kubeadm/verify-machine.sh", { CHALLENGE: challenge, NAME: "m2", ...said(), ...changes }) === "yes\n";

    before(() => {
        shell = shellIn("sh");
        for (const name of ["ca", "other"]) {
            const made = shell.run(
                `openssl req -x509 -newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.crt -subj /CN=kubernetes -days 10`,
            );
            assert.equal(made.status, 0, made.stderr);
        }
    });
    after(() => shell.remove());

    it("by kubelet's key, also where its certificate has ended", () => {
        issue("/O=system:nodes/CN=system:node:m2");
        assert.equal(verified(), true);
    });

    it("also by a certificate of the next authority, whose bridge the present one has signed: a rotation was stopped in its middle", () => {
        issue("/O=system:nodes/CN=system:node:m2", "other");
        const bridge = `
            printf 'basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n' > extensions
            openssl req -new -key other.key -subj /CN=kubernetes -out request
            openssl x509 -req -in request -CA ca.crt -CAkey ca.key -CAcreateserial -days 10 -extfile extensions -out bridge
            openssl req -new -key key -subj /O=system:nodes/CN=system:node:m2 -out request
            printf 'authorityKeyIdentifier=keyid\n' > extensions
            openssl x509 -req -in request -CA other.crt -CAkey other.key -CAcreateserial -days 10 -extfile extensions -out crt
            cat crt bridge key > client.pem
        `;
        const made = shell.run(bridge);
        assert.equal(made.status, 0, made.stderr);
        assert.equal(verified(), true);
        shell.run(bridge.replace("-CA ca.crt -CAkey ca.key", "-CA other.crt -CAkey other.key"));
        assert.equal(verified(), false, "signed by nobody that is trusted here");
    });

    it("not by another node's, another authority's, or by an answer to another question", () => {
        issue("/O=system:nodes/CN=system:node:m2");
        assert.equal(verified({ NAME: "m22" }), false);
        assert.equal(verified({ CHALLENGE: "pulumi-nfv core-1/m2 0124" }), false);
        const former = said();
        issue("/O=system:nodes/CN=system:node:m2");
        assert.equal(verified({ SIGNATURE: former.SIGNATURE }), false);
        issue("/O=system:nodes/CN=system:node:m2", "other");
        assert.equal(verified(), false);
        issue("/CN=system:node:m2");
        assert.equal(verified(), false);
    });

    it("says nothing where it has none", () => {
        shell.run("rm -f client.pem");
        assert.deepEqual(said(), { CERTIFICATE: "", SIGNATURE: "" });
        assert.equal(verified(), false);
        assert.equal(verified({ CERTIFICATE: "bm9uZQ==", SIGNATURE: "bm9uZQ==" }), false);
    });
});
