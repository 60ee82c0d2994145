import { placeText, templateError } from "./places";
import type { HeatTemplateAnswers, Hot, HotResource, TemplateAnswers, Value, ValueMap } from "./types";

/**
 * A template at one place of the tree: the top one, or one copy of a nested one. Names get a prefix in the flat template;
 * the values of a nested template's parameters are its properties in the parent scope.
 */
export interface Scope {
    hot: Hot;
    /** Prefix of resources and conditions in the flat template: "" at the top. */
    prefix: string;
    /** Undefined at the top. */
    parent?: { scope: Scope; properties: ValueMap; resource: HotResource };
    /** Result for each resource; set by buildScope. */
    members: Map<string, Member>;
    /** Copy n (from 0) of a VDU in StandardUserData's style: `[nfv, VDU, x, …]` means `x-n`. */
    vduIndex?: number;
    world: World;
}

/** State that all scopes of an expansion share. */
export interface World {
    answers: TemplateAnswers & Pick<HeatTemplateAnswers, "indexedVdus" | "missingHint">;
    nested: Record<string, Hot>;
    files: Record<string, string>;
    /** Conditions of nested templates in use: flat name → flat definition. */
    conditions: Map<string, Value>;
}

/** `numbers` of a group: those of its copies, from 1; the names of the copies have them. */
export type Member =
    /** One resource; `name` in the flat template. */
    | { kind: "single"; name: string; type: string; resource: HotResource; scope: Scope }
    /** One instance of a nested template. */
    | { kind: "template"; scope: Scope }
    | { kind: "group"; style: GroupStyle; copies: Copy[]; numbers: number[] }
    /** Its condition is false. */
    | { kind: "absent" }
    /** Not needed in the flat template. */
    | { kind: "dropped"; why: string };

/** `vdu`: a resource of the top template of which the answers want several copies. */
export type GroupStyle = "AutoScalingGroup" | "ResourceGroup" | "vdu";

export type Copy = Extract<Member, { kind: "single" } | { kind: "template" }>;

export function memberOf(scope: Scope, name: string): Member {
    const member = scope.members.get(name);
    if (!member) throw templateError(scope.hot.file, `there is no resource ${name}`);
    return member;
}

/** Names in the flat template of everything that a member became. */
export function flatNames(member: Member): string[] {
    switch (member.kind) {
        case "single":
            return [member.name];
        case "template":
            return [...member.scope.members.values()].flatMap(flatNames);
        case "group":
            return member.copies.flatMap(flatNames);
        default:
            return [];
    }
}

/** All single resources of a member, with their paths inside it. */
export function singles(member: Member, path = ""): { path: string; member: Extract<Member, { kind: "single" }> }[] {
    if (member.kind === "single") return [{ path, member }];
    if (member.kind === "group")
        return member.copies.flatMap((copy, index) => singles(copy, `${path}${member.numbers[index]}_`));
    if (member.kind !== "template") return [];
    return [...member.scope.members].flatMap(([name, inner]) =>
        singles(inner, inner.kind === "single" ? `${path}${name}` : `${path}${name}_`),
    );
}

/** StandardUserData gives each copy of a VDU its own names below `nfv`. */
export function indexedPath(path: Value[], scope: Scope): Value[] {
    const indexed =
        scope.vduIndex !== undefined && path.length >= 4 && path[0] === "nfv" && typeof path[2] === "string";
    return indexed ? [path[0], path[1], `${path[2]}-${scope.vduIndex}`, ...path.slice(3)] : path;
}

export function whereIs(resource: HotResource, key?: string): string | undefined {
    return placeText(resource.source, key);
}
