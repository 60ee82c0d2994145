import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { endUpgrade, moveKubelet } from "../../../../../provider/member/upgrade/acts";
import type { Answers } from "../../network/fake-kubectl";
import { from, movingNode, programs, to } from "./moving-node";

describe("staged packages of Kubernetes", () => {
    const { spec, path, write, read, run, node } = movingNode();
    const names = ["kubeadm", "kubectl", "kubelet"];
    const debs = names.map(name => `${name}_${to}-1.1_amd64.deb`);
    const folder = `${programs}/${to}`;
    /** apt installs a package by copying it; "dies" has the number of packages after which it and the script are killed. */
    const fakes = {
        "apt-get": `
            printf 'apt-get %s\\n' "$(printf '%s' "$*" | sed "s#$ROOT/##g; s#-o [^ ]* *##g")" >> "$ROOT/calls"
            [ "$SYSTEMD_OFFLINE" = 1 ] || exit 9
            case " $* " in *" -s "*) exit 0 ;; *" --no-remove "*) ;; *) exit 9 ;; esac
            left=$(cat "$ROOT/dies" 2>/dev/null || echo 9)
            for word; do
                case $word in *.deb) ;; *) continue ;; esac
                [ "$left" != 0 ] || { echo half > "$ROOT/audit"; kill -9 $PPID; exit; }
                left=$((left - 1)) name=\${word##*/}
                cp "$word" "$ROOT/usr/bin/\${name%%_*}"
            done`,
        "apt-mark": `printf 'apt-mark %s\\n' "$*" >> "$ROOT/calls"`,
        "dpkg-query": "printf installed",
        dpkg: `case "$*" in
            --audit) cat "$ROOT/audit" 2>/dev/null || true ;;
            *) echo "dpkg $*" >> "$ROOT/calls"; rm -f "$ROOT/audit" ;;
        esac`,
    };
    const move = (answers: Answers = [node(to)]) => {
        const { run: text, ...act } = moveKubelet(spec());
        return run({ ...act, run: `export ROOT PATH="$ROOT/bin:$PATH"\n${text}` }, answers);
    };
    const calls = () => read("calls").trim().split("\n");

    beforeEach(() => {
        rmSync(path(`${programs}/${from}`), { recursive: true });
        rmSync(path("usr/local/bin/kubelet"));
        for (const name of names) {
            write(`usr/bin/${name}`, `#!/bin/sh\necho "Kubernetes v${from}"\n`, 0o755);
            write(`${folder}/packages/${name}_${to}-1.1_amd64.deb`, `#!/bin/sh\necho "Kubernetes v${to}"\n`, 0o755);
        }
        write(`${folder}/former/kubelet`, `#!/bin/sh\necho "Kubernetes v${from}"\n`, 0o755);
        write(`${folder}/former/version`, `${from}\n`);
        for (const [name, text] of Object.entries(fakes)) write(`bin/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
        write("calls", "");
    });

    it("are installed from what is staged, without a repository, held again, and kubelet restarts once, by us", () => {
        const ran = move();
        assert.equal(ran.code, 0, ran.stderr);
        const [simulated, installed, ...rest] = calls();
        assert.match(simulated!, /^apt-get -s -q .*--allow-downgrades --allow-change-held-packages/);
        assert.ok(debs.every(each => installed!.includes(`${folder}/packages/${each}`)));
        assert.match(installed!, /^apt-get -y --no-remove /);
        assert.deepEqual(rest, ["apt-mark hold kubelet kubeadm kubectl"]);
        assert.match(
            moveKubelet(spec()).run,
            /apt_install -o Dir::Etc::SourceList=\/dev\/null -o Dir::Etc::SourceParts=\/dev\/null /,
        );
        assert.match(read("proc/7/exe"), /1\.34\.4/);
        assert.equal(read("restarts"), "x\n");
        assert.ok(!existsSync(path("usr/local/bin/kubelet")), "no links beside packages");
        assert.equal(move().code, 0);
        assert.equal(read("restarts"), "x\n", "a second time restarts nothing");
    });

    it("go on where a run was killed in the middle of dpkg", () => {
        write("dies", "2\n");
        assert.notEqual(move().code, 0);
        assert.match(read("usr/bin/kubelet"), /1\.34\.3/);
        assert.match(read("usr/bin/kubeadm"), /1\.34\.4/);
        assert.equal(read("restarts"), "");
        rmSync(path("dies"));
        write("calls", "");
        const ran = move();
        assert.equal(ran.code, 0, ran.stderr);
        assert.match(calls()[0]!, /^dpkg --force-confdef --force-confold --configure -a$/);
        assert.match(read("proc/7/exe"), /1\.34\.4/);
    });

    it("that does not serve is the former one again, until the next attempt", () => {
        const ran = move([node(from)]);
        assert.equal(ran.code, 1);
        assert.match(ran.stderr, /kubelet v1\.34\.3 is back/);
        for (const name of ["usr/bin/kubelet", "proc/7/exe"]) assert.match(read(name), /1\.34\.3/);
        // Its package counts as installed, so apt leaves it.
        write("bin/apt-get", "#!/bin/sh\n:\n", 0o755);
        const again = move();
        assert.equal(again.code, 0, again.stderr);
        for (const name of ["usr/bin/kubelet", "proc/7/exe"]) assert.match(read(name), /1\.34\.4/);
    });

    it("are checked by dnf for their signatures again, and installed without a repository", () => {
        for (const name of names) {
            rmSync(path(`${folder}/packages/${name}_${to}-1.1_amd64.deb`));
            write(`${folder}/packages/${name}-${to}-1.x86_64.rpm`, "");
        }
        write("bin/rpm", "#!/bin/sh\nexit 0\n", 0o755);
        const answer = `echo "Transaction Summary"; exit 1`;
        const dnf = `echo "dnf $*" >> "$ROOT/calls"; case "$*" in *--assumeno*) ${answer} ;; esac`;
        write("bin/dnf", `#!/bin/sh\n${dnf}\n`, 0o755);
        const { run: text, ...act } = moveKubelet(spec());
        const withoutApt = `command() { case $2 in apt-get | restorecon) return 1 ;; esac; }\nexport ROOT PATH="$ROOT/bin:$PATH"\n`;
        const ran = run({ ...act, run: withoutApt + text }, [node(to)]);
        assert.equal(ran.code, 0, ran.stderr);
        const files = names.map(name => path(`${folder}/packages/${name}-${to}-1.x86_64.rpm`)).join(" ");
        assert.deepEqual(calls(), [
            `dnf --setopt=assumeyes=0 --assumeno install --disablerepo=* --setopt=localpkg_gpgcheck=1 ${files}`,
            `dnf -q -y install --disablerepo=* --setopt=localpkg_gpgcheck=1 ${files}`,
        ]);
        assert.match(read("proc/7/exe"), /1\.34\.4/);
    });

    it("go when it is at its end, also those of a version that it comes back from", () => {
        write(`${programs}/${from}/packages/kubelet.deb`, "");
        run(endUpgrade(spec()));
        assert.deepEqual(readdirSync(path(programs)), []);
    });
});
