import assert from "node:assert/strict";
import { rotateProblems } from "../../../../components/validation/rotate-rules";

describe("the word of the authorities", () => {
    const said = (args: object) =>
        rotateProblems({ infrastructure: { hosts: {} }, rotate: { authorities: "2026-11" }, ...args } as never);
    const flag = { extraArgs: { apiServer: { "kubelet-certificate-authority": "/etc/kubernetes/pki/ca.crt" } } };
    const bootstrap = { serverTLSBootstrap: true };

    for (const [title, args] of [
        ["of all nodes", { kubelet: bootstrap, controlPlane: flag }],
        ["of control-plane nodes", { controlPlane: { ...flag, kubelet: bootstrap } }],
        ["of a pool", { controlPlane: flag, pools: { a: {}, b: { kubelet: bootstrap } } }],
        [
            "by a flag",
            { controlPlane: { extraArgs: { ...flag.extraArgs, kubelet: { "rotate-server-certificates": "true" } } } },
        ],
    ] as const)
        it(`is refused where API servers check serving certificates that the cluster has signed for kubelets ${title}`, () =>
            assert.match(String(said(args)), /rotate.authorities,cannot be used beside .*serverTLSBootstrap/));

    it("is taken where they check others, or none", () => {
        for (const args of [{ controlPlane: flag }, { kubelet: bootstrap }, {}]) assert.deepEqual(said(args), []);
    });
});

describe("the word of the login key", () => {
    const nova = { image: "debian", flavor: "m1", network: "lan" };
    const said = (infrastructure: object, loginKey = "2026-11") =>
        rotateProblems({ infrastructure, rotate: { loginKey } } as never);

    it("is taken with servers that this package makes", () => {
        assert.deepEqual(said({ nova }), []);
        assert.deepEqual(said({ heat: { ...nova, ssh: { user: "ops" } } }), []);
    });

    const refused: [title: string, infrastructure: object, why: RegExp][] = [
        ["with machines of the user", { hosts: {} }, /needs servers that this package makes/],
        [
            "beside a key pair",
            { nova: { ...nova, keyPair: "mine" } },
            /beside infrastructure\.nova\.keyPair: its key is yours/,
        ],
        [
            "beside a key",
            { heat: { ...nova, ssh: { privateKey: "x" } } },
            /beside infrastructure\.heat\.ssh\.privateKey/,
        ],
        ["beside an agent", { nova: { ...nova, ssh: { agent: "env" } } }, /beside infrastructure\.nova\.ssh\.agent/],
        ["beside a template", { heat: { ...nova, template: "a.yaml" } }, /beside infrastructure\.heat\.template/],
    ];
    for (const [title, infrastructure, why] of refused) {
        it(`is refused ${title}`, () => {
            const [[place, problem], ...others] = said(infrastructure) as [[string, string]];
            assert.deepEqual([place, others], ["rotate.loginKey", []]);
            assert.match(problem, why);
        });
    }

    it("is a word", () => assert.match(said({ nova }, "a b")[0]![1], /"a b" is not allowed/));
});
