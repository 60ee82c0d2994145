import assert from "node:assert/strict";
import { answeringWebhooks, probesOf } from "../../../../provider/cluster-api/webhook-answers";
import { KubeApi, type KubeObject } from "../../../../provider/vim";
import { listener } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

const definition = (plural: string, kind: string, scope = "Namespaced") => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.x.test` },
    spec: { group: "x.test", scope, names: { plural, kind } },
});
const configuration = (kind: string, service: string | undefined, rule: object): KubeObject => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: kind.toLowerCase() },
    webhooks: [
        {
            clientConfig: service === undefined ? {} : { service: { namespace: "x-system", name: service } },
            rules: [
                {
                    operations: ["CREATE", "UPDATE"],
                    apiGroups: ["x.test"],
                    apiVersions: ["v1"],
                    resources: ["things"],
                    ...rule,
                },
            ],
        },
    ],
});
const [mutating, validating] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const;
const things = definition("things", "Thing");

describe("webhooks of a provider", () => {
    it("are asked once by Service, with an object that is not stored, mutating ones first", () => {
        const all = definition("alls", "All", "Cluster");
        const objects = [
            ...[things, all, configuration(validating, "hooks", { resources: ["alls"] })],
            ...[configuration(mutating, "hooks", {}), configuration(validating, "others", { resources: ["alls"] })],
        ] as KubeObject[];
        const metadata = { generateName: "pulumi-nfv-asks-" };
        assert.deepEqual(probesOf(objects), [
            {
                service: "x-system/hooks",
                path: "/apis/x.test/v1/namespaces/x-system/things?dryRun=All",
                body: { apiVersion: "x.test/v1", kind: "Thing", metadata },
            },
            {
                service: "x-system/others",
                path: "/apis/x.test/v1/alls?dryRun=All",
                body: { apiVersion: "x.test/v1", kind: "All", metadata },
            },
        ]);
    });

    for (const [title, service, rule] of [
        ["judge no new objects", "hooks", { operations: ["DELETE"] }],
        ["judge kinds of others", "hooks", { resources: ["pods"] }],
        ["are outside of the cluster", undefined, {}],
        ["name no version", "hooks", { apiVersions: ["*"] }],
    ] as const) {
        it(`that ${title} are not asked`, () => {
            assert.deepEqual(probesOf([things, configuration(mutating, service, rule)] as KubeObject[]), []);
        });
    }

    describe("are awaited", () => {
        let api: FakeApi;
        const answers: [number, string][] = [];
        beforeEach(async () => {
            answers.length = 0;
            api = await FakeApi.start();
            api.dryRun = () => answers.shift() ?? [201, ""];
        });
        afterEach(() => api.stop());
        const wait = (timeoutSeconds: number) =>
            answeringWebhooks(
                new KubeApi(
                    { endpoint: api.endpoint, caCertificate: api.ca, sslCaCert: undefined } as never,
                    { bearerToken: "admin-token" } as never,
                ),
                [things, configuration(mutating, "hooks", {})] as KubeObject[],
                { name: "management", title: "core", timeoutSeconds },
                listener(),
            );
        const refused: [number, string] = [
            500,
            'failed calling webhook "hooks.x.test": failed to call webhook: dial tcp 10.96.0.7:443: connect: connection refused',
        ];

        it("until they answered three times in a row", async () => {
            answers.push(refused, [201, ""], refused);
            await wait(20);
            assert.equal(api.seen.length, 6);
        });

        it("and a refusal or a failure of the webhook itself is an answer", async () => {
            answers.push([403, "denied"], [422, "spec: required"]);
            answers.push([500, 'admission webhook "hooks.x.test" denied the request: panic']);
            await wait(20);
            assert.equal(api.seen.length, 3);
        });

        it("until the time is up: the error has the API server's words", async () => {
            api.dryRun = () => refused;
            await assert.rejects(
                wait(0),
                /PROVIDER_NOT_READY[\s\S]*x-system\/hooks.*after 0 s: [\s\S]*connection refused/,
            );
        });
    });
});
