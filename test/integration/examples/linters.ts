import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { obtain } from "../../../tools/cache";
import { run } from "../../../tools/run";
import { projectRoot } from "../../support/user-project";

/** A linter of others, at a pinned version; it is installed into the package's cache once. */
export interface Linter {
    /** Programs that the machine must have. */
    needs: string[];
    /** What decides the content of its folder. */
    version: string | string[];
    install(folder: string): Promise<unknown>;
    /** The command that checks the files, and ends with another exit code than 0 when one is wrong. */
    command(folder: string, files: string[]): { argv: string[]; env?: Record<string, string> };
}

const checks = join(projectRoot, "test/integration/examples/checks");
const goEnvironment = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
const pip = (folder: string, packages: string[]) =>
    run(["python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", join(folder, "site"), ...packages]);

/** With all that it imports, so that pip chooses nothing itself. */
const checkJsonschema = [
    ...["check-jsonschema==0.39.0", "attrs==26.1.0", "certifi==2026.10.19.post1", "charset-normalizer==3.5.3"],
    ...[
        "click==8.5.1",
        "idna==3.20",
        "jsonschema==4.26.0",
        "jsonschema-specifications==2025.9.1",
        "referencing==0.37.0",
    ],
    ...[
        "regress==2026.9.1",
        "requests==2.34.2",
        "rpds-py==2026.9.1",
        "ruamel.yaml==0.19.1",
        "typing_extensions==4.16.0",
    ],
    "urllib3==2.8.0",
];

/** What Zuul's loader of configurations imports, a quarter of what all of Zuul needs; and Ansible, whose version Zuul 14 runs. */
const zuul = [
    ...["zuul==14.3.0", "ansible-core==2.19.14", "bcrypt==5.0.0", "cachetools==8.0.2", "cffi==2.1.1"],
    ...["cryptography==50.0.2", "google-re2==1.1.20251105", "googleapis-common-protos==1.76.0", "grpcio==1.85.3"],
    ...["Jinja2==3.1.6", "jsonpath-rw==1.4.0", "kazoo==2.11.0", "MarkupSafe==3.0.4", "mmh3==5.3.1"],
    ...["opentelemetry-api==1.45.2", "opentelemetry-sdk==1.45.2", "opentelemetry-semantic-conventions==0.66b2"],
    ...["opentelemetry-exporter-http-transport==0.66b2", "opentelemetry-exporter-otlp-common==0.66b2"],
    ...["opentelemetry-exporter-otlp-proto-common==1.45.2", "opentelemetry-exporter-otlp-proto-grpc==1.45.2"],
    ...["opentelemetry-exporter-otlp-proto-http==1.45.2", "opentelemetry-proto==1.45.2", "packaging==26.4"],
    ...["ply==3.11", "protobuf==7.36.2", "psutil==7.2.2", "pycparser==3.12", "PyYAML==6.0.4", "resolvelib==1.2.1"],
    ...["six==1.17.0", "typing_extensions==4.16.0", "voluptuous==0.16.0"],
];

const python = (folder: string) => ({ PYTHONPATH: join(folder, "site"), PYTHONDONTWRITEBYTECODE: "1" });

const schema = (name: string, ...options: string[]): Linter => ({
    needs: ["python3"],
    version: checkJsonschema,
    install: folder => pip(folder, checkJsonschema),
    command: (folder, files) => ({
        argv: ["python3", "-m", "check_jsonschema", "--builtin-schema", `vendor.${name}`, ...options, ...files],
        env: python(folder),
    }),
});

export const linters = {
    actionlint: {
        needs: ["go"],
        version: "v1.7.12",
        install: folder =>
            run(["go", "install", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"], {
                env: { ...goEnvironment, GOBIN: folder },
            }),
        command: (folder, files) => ({ argv: [join(folder, "actionlint"), ...files] }),
    },
    githubSchema: schema("github-workflows"),
    gitlabSchema: schema("gitlab-ci", "--data-transform", "gitlab-ci"),
    /** Parses Groovy by its own compiler. It knows Groovy, not Jenkins: no such check runs without a Jenkins server. */
    groovy: {
        needs: ["java"],
        // Newer ones need Node 22.
        version: "15.2.2",
        install: async folder => {
            writeFileSync(join(folder, "package.json"), '{ "private": true }');
            const argv = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "npm-groovy-lint@15.2.2"];
            await run(argv, { cwd: folder });
        },
        command: (folder, files) => ({
            argv: [
                ...[process.execPath, join(folder, "node_modules/npm-groovy-lint/lib/index.js"), "--noserver"],
                ...["--failon", "error", "--loglevel", "error", ...files],
            ],
        }),
    },
    /** The types of Tekton and Kubernetes with their own validation. */
    tekton: {
        needs: ["go"],
        version: "v1.6.0",
        install: async folder => {
            copyFileSync(join(checks, "tekton/main.go"), join(folder, "main.go"));
            writeFileSync(
                join(folder, "go.mod"),
                "module check\n\ngo 1.24.0\n\nrequire github.com/tektoncd/pipeline v1.6.0\n",
            );
            await run(["go", "mod", "tidy"], { cwd: folder, env: goEnvironment });
            await run(["go", "build", "-o", "check", "."], { cwd: folder, env: goEnvironment });
        },
        command: (folder, files) => ({ argv: [join(folder, "check"), ...files] }),
    },
    /** Zuul's own schemas; one file at a time. */
    zuul: {
        needs: ["python3"],
        version: zuul,
        install: folder => pip(folder, zuul),
        command: (folder, files) => ({
            argv: ["python3", join(checks, "zuul-check.py"), ...files],
            env: python(folder),
        }),
    },
    /** Names of modules, with those of Zuul. */
    ansible: {
        needs: ["python3"],
        version: zuul,
        install: folder => pip(folder, zuul),
        command: (folder, files) => ({
            argv: ["python3", "-m", "ansible", "playbook", "--inventory", "localhost,", "--syntax-check", ...files],
            env: {
                ...python(folder),
                ANSIBLE_ACTION_PLUGINS: join(folder, "site/zuul/ansible/base/action"),
                ANSIBLE_HOME: join(folder, "home"),
                ANSIBLE_LOCALHOST_WARNING: "False",
            },
        }),
    },
    systemd: {
        needs: ["systemd-analyze"],
        version: "of the machine",
        install: async () => {},
        command: (_folder, files) => ({ argv: ["systemd-analyze", "verify", ...files] }),
    },
} satisfies Record<string, Linter>;

export type LinterName = keyof typeof linters;

/** The folder of the linter, which is installed now if it is not yet. */
export async function installed(linter: Linter): Promise<string> {
    const { version, needs } = linter;
    const install = async (folder: string) => {
        await linter.install(folder);
        return {};
    };
    const { folder } = await obtain({ group: "linters", name: needs[0]!, inputs: { version } }, install);
    return folder;
}
