/** Parts of OpenAPI schemas, as CustomResourceDefinitions have them. */

/** A rule in CEL; its message says what is wrong. */
export type CelRule = readonly [rule: string, message: string];

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const time: Schema = { type: "string", format: "date-time" };
export const int64: Schema = { type: "integer", format: "int64" };
export const oneOf = (...values: string[]): Schema => ({ type: "string", enum: values });

export function object(properties: Record<string, Schema>, required: string[] = []): Schema {
    return { type: "object", properties, ...(required.length > 0 && { required }) };
}

export function checked(schema: Schema, ...rules: CelRule[]): Schema {
    return { ...schema, "x-kubernetes-validations": rules.map(([rule, message]) => ({ rule, message })) };
}

/** A text that keeps its first value. */
export function fixed(field: string): Schema {
    return checked(text, ["self == oldSelf", `${field} is immutable`]);
}

/** A field that was set stays set. */
export function stays(field: string): CelRule {
    return [`!has(oldSelf.${field}) || has(self.${field})`, `${field} is required once set`];
}

/** One of two fields is set, and not both. */
export function either(one: string, other: string): CelRule {
    const only = (set: string, unset: string) => `(has(self.${set}) && !has(self.${unset}))`;
    return [
        `${only(one, other)} || (!has(self.${one}) && has(self.${other}))`,
        `exactly one of ${one} and ${other} must be set`,
    ];
}

/** Columns of `kubectl get`: "Name type path". */
export function columns(...lines: string[]): object[] {
    return lines.map(line => {
        const [name, type, jsonPath] = line.split(" ");
        return { name, type, jsonPath };
    });
}
