import { OptionDefaults } from "typedoc";

/** `npm run docs:api`: the pages of the public functions and types, in dist/api-docs. A link that leads nowhere is an error. */
export default {
    name: "pulumi-nfv",
    entryPoints: ["components", "provider", "pipeline", "testing"].map(folder => `${folder}/index.ts`),
    tsconfig: "tsconfig.json",
    out: "dist/api-docs",
    readme: "none",
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    // The compiler has checked them: lint and build come first.
    skipErrorChecking: true,
    blockTags: [...OptionDefaults.blockTags, "@change", "@secret", "@format", "@keys"],
    validation: { invalidLink: true, invalidPath: true, notExported: true, rewrittenLink: true },
    treatValidationWarningsAsErrors: true,
    treatWarningsAsErrors: true,
    // Users get objects of these types, or give none: no need to name them.
    intentionallyNotExported: [
        ...["provider/operation/hooks/events.ts:Camel", "provider/operation/hooks/events.ts:EtsiEvent"],
        ...["provider/operation/operation.ts:Operation", "provider/common/model.ts:Role", "pipeline/operations/operate.ts:Operated"],
        ...["pipeline/plan/rotated-keys.ts:rotations", "pipeline/plan/exchange.ts:InputHashes", "pipeline/plan/order.ts:RestoreOrder"],
        ...["provider/adapters/serve.ts:Properties", "provider/contract/types.ts:Diff"],
        ...["provider/contract/types.ts:Observed", "provider/contract/types.ts:Checked"],
        ...["provider/steps/types.ts:Fingerprints", "provider/steps/protocol.ts:AgentCall", "provider/ssh/types.ts:SshTarget"],
        ...["testing/fake-versions.ts:FakeVersions", "testing/ssh-server.ts:SshServer"],
        ...["testing/fake-agent.ts:Machine", "testing/fake-agent.ts:Caller"],
    ],
};
