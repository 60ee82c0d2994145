import { NfvError } from "../common/errors";

/** `auth` of a cloud in clouds.yaml. */
export type AuthOptions = Partial<Record<AuthOption, string>>;

/** Options grouped by what they set together. OS_* variables fill a group only if clouds.yaml sets none of it. */
const groups = [
    ["auth_url"],
    ["username", "user_id"],
    ["password"],
    ["user_domain_name", "user_domain_id"],
    ["project_name", "project_id"],
    ["project_domain_name", "project_domain_id"],
    ["domain_name", "domain_id"],
    ["default_domain"],
    ["application_credential_id", "application_credential_name"],
    ["application_credential_secret"],
    ["token"],
] as const;

type AuthOption = (typeof groups)[number][number];

/** Alternative names of variables, and of options in old files. */
const otherNames: Partial<Record<AuthOption, string[]>> = {
    project_name: ["tenant_name"],
    project_id: ["tenant_id"],
    user_id: ["userid"],
    username: ["user_name"],
    token: ["auth_token"],
};

interface Domain {
    id?: string;
    name?: string;
}

interface Subject {
    id?: string;
    name?: string;
    domain?: Domain;
}

/** Credentials as the Keystone API expects them. */
export type Credentials =
    | { kind: "password"; user: Subject & { password: string }; project: Subject }
    | { kind: "token"; token: string; project?: Subject }
    | { kind: "applicationCredential"; id?: string; name?: string; user?: Subject; secret: string };

const kinds: Record<string, Credentials["kind"]> = {
    password: "password",
    v3password: "password",
    token: "token",
    v3token: "token",
    v3applicationcredential: "applicationCredential",
};

/** Reads the credentials. @throws CLOUD_CONFIG_INVALID */
export function credentialsOf(
    own: AuthOptions,
    ownType: string | undefined,
    env: Record<string, string | undefined>,
    hint: () => string | undefined,
): { authUrl: string; credentials: Credentials } {
    const given = withVariables(own, env);
    const missing = (what: string): never => {
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `the cloud's credentials lack ${what}`,
            hint: hint(),
        });
    };
    const need = (option: AuthOption, what: string = option): string => given[option] ?? missing(what);
    const authUrl = need("auth_url", "auth_url (OS_AUTH_URL)");
    if (!/^https?:\/\/./.test(authUrl)) {
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `auth_url must be a http or https URL, got "${authUrl}"`,
            hint: "Correct auth_url in clouds.yaml, or OS_AUTH_URL.",
        });
    }
    // clouds.yaml takes precedence over the environment.
    const kind = kindOf(ownType, own) ?? kindOf(env.OS_AUTH_TYPE, given) ?? "password";
    const defaultDomain: Domain = { id: given.default_domain ?? given.domain_id, name: given.domain_name };
    const subject = (id: AuthOption, name: AuthOption, domainId: AuthOption, domainName: AuthOption): Subject => {
        if (given[id] !== undefined) return { id: given[id] };
        const domain = { id: given[domainId], name: given[domainName] };
        const known = domain.id ?? domain.name;
        const inherited = defaultDomain.id ?? defaultDomain.name;
        return {
            name: given[name],
            domain:
                known !== undefined ? one(domain) : inherited !== undefined ? one(defaultDomain) : { id: "default" },
        };
    };
    const user = () => subject("user_id", "username", "user_domain_id", "user_domain_name");
    const project = () => subject("project_id", "project_name", "project_domain_id", "project_domain_name");
    const hasUser = given.user_id ?? given.username;
    const hasProject = given.project_id ?? given.project_name;
    const readers: Record<Credentials["kind"], () => Credentials> = {
        password: () => {
            if (hasUser === undefined) missing("username (OS_USERNAME)");
            const password = need("password", "password (OS_PASSWORD)");
            if (hasProject === undefined) missing("project_name or project_id (OS_PROJECT_NAME)");
            return { kind: "password", user: { ...user(), password }, project: project() };
        },
        token: () => ({
            kind: "token",
            token: need("token", "token (OS_TOKEN)"),
            ...(hasProject !== undefined && { project: project() }),
        }),
        applicationCredential: () => {
            const secret = need("application_credential_secret", "application_credential_secret");
            const id = given.application_credential_id;
            if (id !== undefined) return { kind: "applicationCredential", id, secret };
            const name = need("application_credential_name", "application_credential_id or …_name");
            if (hasUser === undefined) missing("username: an application credential by name needs its user");
            return { kind: "applicationCredential", name, user: user(), secret };
        },
    };
    return { authUrl, credentials: readers[kind]() };
}

function one({ id, name }: Domain): Domain {
    return id !== undefined ? { id } : { name };
}

function kindOf(type: string | undefined, given: AuthOptions): Credentials["kind"] | undefined {
    if (type !== undefined && type !== "") {
        const kind = kinds[type.toLowerCase()];
        if (kind !== undefined) return kind;
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `auth_type "${type}" is not known here`,
            hint: `Use one of ${Object.keys(kinds).join(", ")}.`,
        });
    }
    if (given.application_credential_id ?? given.application_credential_name) return "applicationCredential";
    if (given.password !== undefined) return "password";
    if (given.token !== undefined) return "token";
    return given.username === undefined && given.user_id === undefined ? undefined : "password";
}

function withVariables(own: AuthOptions, env: Record<string, string | undefined>): AuthOptions {
    const result: AuthOptions = {};
    for (const group of groups) {
        const fromFile = valuesOf(group, option => scalar((own as Record<string, unknown>)[option]));
        const values =
            Object.keys(fromFile).length > 0 ? fromFile : valuesOf(group, option => env[`OS_${option.toUpperCase()}`]);
        Object.assign(result, values);
    }
    return result;
}

function valuesOf(group: readonly AuthOption[], read: (option: string) => string | undefined): AuthOptions {
    const found = group.flatMap(option => {
        const value = [option, ...(otherNames[option] ?? [])].map(read).find(text => text !== undefined && text !== "");
        return value === undefined ? [] : [[option, value] as const];
    });
    return Object.fromEntries(found);
}

/** YAML reads a password that consists of digits as a number. */
function scalar(value: unknown): string | undefined {
    return value === undefined || value === null ? undefined : String(value);
}
