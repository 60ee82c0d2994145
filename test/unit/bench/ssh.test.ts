import assert from "node:assert/strict";
import { ansibleFiles, clientScript } from "../../../bench/ssh/rivals";
import { plainRoot, shares, sshdConfig } from "../../../bench/ssh/sshd";

const fleet = { folder: "/f", ports: [1001, 1002], keyFile: "/f/key", knownHosts: "/f/known_hosts" };

describe("the pure parts of bench/ssh", () => {
    it("gives no sshd more ports than it listens on, and every port to one", () => {
        const ports = Array.from({ length: 50 }, (_, i) => 2000 + i);
        const all = shares(ports);
        assert.equal(all.length, 4);
        assert.ok(all.every(share => share.length <= 16));
        assert.deepEqual(all.flat().sort(), ports);
    });

    it("writes an sshd that listens on loopback only", () => {
        const lines = sshdConfig([1, 2], "/f").split("\n");
        assert.deepEqual(
            lines.filter(line => /^(Port|Listen)/.test(line)),
            ["Port 1", "Port 2", "ListenAddress 127.0.0.1"],
        );
    });

    it("changes nobody's login but root's", () => {
        const passwd = "root:x:0:0:root:/root:/bin/bash\nsshd:x:1:2::/run/sshd:/usr/sbin/nologin\n";
        assert.equal(
            plainRoot(passwd, "/f/home"),
            "root:x:0:0:root:/f/home:/bin/sh\nsshd:x:1:2::/run/sshd:/usr/sbin/nologin\n",
        );
    });

    it("gives ansible a fork for each node, one task for each command and no fact gathering", () => {
        const files = ansibleFiles(fleet, ["echo a", "echo b", "echo c"]);
        assert.match(files["ansible.cfg"], /^forks = 2$/m);
        assert.match(files["ansible.cfg"], /^pipelining = True$/m);
        assert.equal(files.inventory.trimEnd().split("\n").length, 2);
        const [play] = JSON.parse(files["play.yml"]);
        assert.equal(play.tasks.length, 3);
        assert.equal(play.gather_facts, false);
    });

    it("shares a connection in the client's script only where that is asked for", () => {
        assert.match(clientScript(fleet, 20, true), /ControlMaster=auto/);
        assert.doesNotMatch(clientScript(fleet, 20, false), /ControlMaster=auto|ControlPersist/);
        assert.match(clientScript(fleet, 20, false), /-lt 20/);
    });
});
