import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeEtcdSpace } from "../../../../../provider/member/join/free-etcd-space";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { shellIn } from "../../shell/lib/shell-run";

const MiB = 2 ** 20;

/** The real script; curl answers as etcd's gateway does: member 1 is here, the others are at https://m2 and https://m3. */
describe("what gives back the space of etcd", () => {
    let shell: ReturnType<typeof shellIn>;
    const at = (name: string) => join(shell.folder, name);
    const put = (name: string, text: string | number) => writeFileSync(at(name), String(text));
    const calls = () => readFileSync(at("calls"), "utf8").trim().split("\n");

    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(at("kubernetes/manifests"), { recursive: true });
        put("kubernetes/manifests/etcd.yaml", `    - --quota-backend-bytes=${20 * MiB}\n`);
        for (const member of ["1", "2", "3"]) put(`size-${member}`, 20 * MiB);
        for (const [name, text] of Object.entries({ leader: "2", after: 2 * MiB, calls: "" })) put(name, text);
        put(
            "members",
            `{"header":{},"members":[{"ID":"1","name":"m1","clientURLs":["https://m1:2379"]},{"ID":"2","name":"m2","clientURLs":["https://m2:2379"]},{"ID":"3","name":"m3","clientURLs":["https://m3:2379"]}]}`,
        );
        shell.program("sleep", "");
        shell.program(
            "curl",
            `cd '${shell.folder}'
for url; do case $last in -d) data=$url ;; esac; last=$url; done
case $last in https://127.0.0.1*) member=1 ;; https://m2*) member=2 ;; *) member=3 ;; esac
case $last in
    */status) [ ! -e silent-$member ] || exit 28; echo '{"header":{"member_id":"'$member'","revision":"4711"},"dbSize":"'$(cat size-$member)'","leader":"'$(cat leader)'","dbSizeInUse":"1000"}'; exit ;;
    */list) cat members; exit ;;
    */alarm) case $data in *GET*) echo '{"header":{},"alarms":[{"memberID":"1","alarm":"NOSPACE"},{"memberID":"3","alarm":"NOSPACE"}]}'; exit ;; esac ;;
    */transfer-leadership) [ -e stubborn ] || echo 2 > leader ;;
    */defragment) [ ! -e fails ] || { echo '{"error":"disk"}'; exit; }; cat after > size-1; echo '{}' ;;
esac
echo "\${last##*/} $data" >> calls`,
        );
    });
    afterEach(() => shell.remove());

    const run = () => {
        const text = freeEtcdSpace.run
            .replace(/^PATH=.*$/gm, "")
            .replace("KUBERNETES_FOLDER='/etc/kubernetes'", `KUBERNETES_FOLDER='${at("kubernetes")}'`);
        return shell.run(`set -eu\n${text}`);
    };
    const done = ["compaction", "defragment"];
    const did = () => calls().map(line => line.split(" ")[0]);

    it("compacts and defragments this member alone; the alarm stays while another one is full", () => {
        const { status, stdout, stderr } = run();
        assert.equal(status, 0, stderr);
        assert.deepEqual(did(), done);
        assert.match(calls()[0]!, /"revision":"4711","physical":true/);
        assert.match(stdout, /its file had 20 MiB, and has 2 MiB of 20 MiB$/m);
    });

    it("disarms the alarm of each member when none is full any more", () => {
        for (const member of ["2", "3"]) put(`size-${member}`, 2 * MiB);
        assert.match(run().stdout, /the alarm NOSPACE is disarmed/);
        assert.deepEqual(calls().slice(2), [
            'alarm {"action":"DEACTIVATE","memberID":"1","alarm":"NOSPACE"}',
            'alarm {"action":"DEACTIVATE","memberID":"3","alarm":"NOSPACE"}',
        ]);
    });

    it("of the leader begins when another member leads; if none takes over, nothing is done", () => {
        put("leader", "1");
        assert.equal(run().status, 0);
        assert.deepEqual(did(), ["transfer-leadership", ...done]);
        assert.match(calls()[0]!, /"targetID":"2"/);
        put("leader", "1");
        put("calls", "");
        put("stubborn", "");
        const { status, stderr } = run();
        assert.equal(status, exitCodes.QUORUM_AT_RISK);
        assert.match(stderr, /is the leader, and no other member takes that over; nothing was changed/);
        assert.deepEqual(did(), ["transfer-leadership"]);
    });

    it("passes the lead to no member that does not vote yet, and counts none", () => {
        const learner = '{"ID":"2","name":"m2","clientURLs":["https://m2:2379"],"isLearner":true}';
        put("members", readFileSync(at("members"), "utf8").replace(/\{"ID":"2"[^}]*\}/, learner));
        put("leader", "1");
        const { status, stderr } = run();
        assert.equal(status, 0, stderr);
        assert.match(calls()[0]!, /transfer-leadership .*"targetID":"3"/);
    });

    it("does nothing where the others alone have no majority, or this one does not answer", () => {
        put("silent-3", "");
        const { status, stderr } = run();
        assert.equal(status, exitCodes.QUORUM_AT_RISK);
        assert.match(stderr, /only 1 of its 3 members besides it do[\s\S]*nothing was changed/);
        put("silent-1", "");
        assert.match(run().stderr, /does not answer, or has no leader; nothing was changed/);
        assert.deepEqual(calls(), [""]);
    });

    it("of a cluster of one member needs no other", () => {
        put("members", `{"header":{},"members":[{"ID":"1","name":"m1","clientURLs":["https://m1:2379"]}]}`);
        put("leader", "1");
        const { status, stdout, stderr } = run();
        assert.equal(status, 0, stderr);
        assert.match(stdout, /the alarm NOSPACE is disarmed/);
        assert.ok(!did().includes("transfer-leadership"));
    });

    it("says what to do where all of it is in use, and leaves the alarm", () => {
        put("after", 20 * MiB);
        const { status, stderr } = run();
        assert.equal(status, 1);
        assert.match(stderr, /etcd is full: after its defragmentation it has 20 MiB[\s\S]*quota-backend-bytes/);
        assert.deepEqual(did(), done);
        put("fails", "");
        assert.match(run().stderr, /etcd was not defragmented: \{"error":"disk"\}/);
    });
});
