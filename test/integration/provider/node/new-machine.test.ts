import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { masters } from "../../../../provider/cluster/masters";
import { lookPatience } from "../../../../provider/cluster/new-machines-look";
import { RunSession } from "../../../../provider/common/run-session";
import type { Context } from "../../../../provider/contract/types";
import { unknownValue } from "../../../../provider/contract/values";
import { stateFolder } from "../../../../provider/shell/folders";
import type { SshTarget } from "../../../../provider/ssh";
import { newKeyPair } from "../../../../testing";
import { ensurePackages } from "../../../../tools/system-packages";
import { skipIf } from "../../../support/skip";
import { ordinaryUser, RealSshd, whyNoSshd } from "../ssh/real-sshd";

describe("the look of a preview at a new machine, with a real sshd and the real scripts", () => {
    let sshd: RealSshd;
    const session = new RunSession();
    const noted: string[] = [];
    const silent = () => {};
    const context: Context = { report: silent, warn: silent, note: text => noted.push(text), urn: "core", session };

    before(async function () {
        if (process.getuid?.() === 0) await ensurePackages(["openssh-server", "sudo"], "tests with a real sshd");
        skipIf(this, whyNoSshd());
        sshd = await RealSshd.start(["MaxSessions 1"]);
    });
    after(async () => {
        await session.close();
        await sshd?.stop();
    });
    const machine = (name: string, connection: SshTarget, wish = {}) => ({
        [name]: JSON.stringify({
            wish: {
                ...{ name, role: "controlPlane", address: "127.0.0.1", kubernetesVersion: "1.99.0" },
                ...{ source: { image: {} }, endpoint: { host: "api", port: 6443 }, ...wish },
            },
            connection,
        }),
    });
    const look = async (toLookAt: Record<string, string>) => {
        const asked = { clusterId: unknownValue, peers: unknownValue, toLookAt };
        const began = Date.now();
        const { failures } = await masters.checkInCloud!({}, asked, context);
        return { said: failures[0]?.reason ?? "", seconds: (Date.now() - began) / 1000 };
    };
    const linesOf = (said: string, name: string) =>
        said.split("\n").filter(line => line.trim().startsWith(`${name} (`));

    it("says all of several machines, within the time, and leaves nothing on them", async () => {
        const before = existsSync(stateFolder) ? readdirSync(stateFolder) : undefined;
        lookPatience.connectSeconds = 2;
        const root = sshd.targetOf("root");
        const { said, seconds } = await look({
            ...machine("m1", sshd.targetOf(ordinaryUser), { address: "203.0.113.5", resolvConf: "/no/such/file" }),
            ...machine("m2", { ...root, port: 1 }),
            ...machine("m3", { ...root, host: "localhost", privateKey: newKeyPair().private }),
        });
        assert.ok(seconds < 15, `${seconds} s`);
        assert.match(said, /^MACHINE_CHECK_FAILED\n/);
        const m1 = linesOf(said, "m1").join("\n");
        for (const problem of [
            /VERSION_MISMATCH: (the image has no kubelet|wanted 1\.99\.0)/,
            /none of its network interfaces has the address 203\.0\.113\.5/,
            /kubelet's file of name servers, \/no\/such\/file, is not there: correct kubelet\.resolvConf/,
        ])
            assert.match(m1, problem);
        assert.doesNotMatch(m1, /failed|clock/);
        assert.match(linesOf(said, "m2").join(), /CONNECT_FAILED: 127\.0\.0\.1:1 refused the connection/);
        assert.match(linesOf(said, "m3").join(), /AUTHENTICATION_FAILED: .*refused user root/);
        assert.deepEqual(existsSync(stateFolder) ? readdirSync(stateFolder) : undefined, before);
    });

    it("asks who has the virtual address and the router id on the network of a new control-plane node", async () => {
        const vip = { address: "127.0.0.77", prefixLength: 8, interface: "", virtualRouterId: 7 };
        const { said } = await look(
            machine("m1", sshd.targetOf("root"), { endpoint: { host: vip.address, port: 6443, vip } }),
        );
        assert.doesNotMatch(said, /ADDRESS_IN_USE|VRID_IN_USE|look at its system failed/);
    });
});
