import { mostSimilar } from "../../../../provider/common/did-you-mean";
import { placeText, templateError } from "./places";
import type { Value, ValueMap } from "./types";

/** Versions of the template language by name; a newer one has all functions of the older ones, except the `Fn::` functions. */
export const versionNames: Record<string, string> = {
    newton: "2016-10-14",
    ocata: "2017-02-24",
    pike: "2017-09-01",
    queens: "2018-03-02",
    rocky: "2018-08-31",
    wallaby: "2021-04-16",
};

export const versions = [
    "2013-05-23",
    "2014-10-16",
    "2015-04-30",
    "2015-10-15",
    "2016-04-08",
    ...Object.values(versionNames),
];

/** The functions of the language and the version that introduced each. */
const since: Record<string, string> = {
    get_attr: "2013-05-23",
    get_file: "2013-05-23",
    get_param: "2013-05-23",
    get_resource: "2013-05-23",
    list_join: "2013-05-23",
    resource_facade: "2013-05-23",
    str_replace: "2013-05-23",
    repeat: "2014-10-16",
    digest: "2015-04-30",
    str_split: "2015-10-15",
    map_merge: "2016-04-08",
    if: "2016-10-14",
    map_replace: "2016-10-14",
    yaql: "2016-10-14",
    equals: "2016-10-14",
    not: "2016-10-14",
    and: "2016-10-14",
    or: "2016-10-14",
    filter: "2017-02-24",
    str_replace_strict: "2017-02-24",
    contains: "2017-09-01",
    list_concat: "2017-09-01",
    list_concat_unique: "2017-09-01",
    make_url: "2017-09-01",
    str_replace_vstrict: "2017-09-01",
};

/** A map with such a name as its only key is never plain data: it calls a function or misspells one. */
const looksLikeFunction = /^(?:(?:get|str|list|map|make)_[a-z_]+|resource_facade|yaql|Fn::\w+|Ref)$/;

/** Wrong or similar names → the right function, because people mix the languages. */
const insteadOf: Record<string, string> = {
    Ref: "get_param or get_resource",
    "Fn::GetAtt": "get_attr",
    "Fn::Join": "list_join",
    "Fn::Select": "get_attr or get_param with a path",
    "Fn::Replace": "str_replace",
    "Fn::Split": "str_split",
    get_attribute: "get_attr",
    get_parameter: "get_param",
    get_input: "get_param",
    get_property: "get_attr",
    get_artifact: "get_file",
    get_operation_output: "get_attr",
    str_join: "list_join",
};

export interface Call {
    name: string;
    argument: Value;
    map: ValueMap;
}

/** The function that a value calls, or undefined for plain data. */
export function asCall(value: Value | undefined): Call | undefined {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    const keys = Object.keys(value);
    if (keys.length !== 1 || since[keys[0]] === undefined) return undefined;
    return { name: keys[0], argument: value[keys[0]], map: value };
}

/** Refuses functions that do not exist, or not in the template's version. */
export function checkFunctions(value: Value, version: string): void {
    if (value === null || typeof value !== "object") return;
    const keys = Object.keys(value);
    if (!Array.isArray(value) && keys.length === 1 && looksLikeFunction.test(keys[0])) {
        const name = keys[0];
        if (since[name] === undefined) {
            const known = insteadOf[name] ?? mostSimilar(name, Object.keys(since));
            throw templateError(
                placeText(value, name),
                `${name} is no function of heat_template_version ${version}`,
                known ? `Use ${known}.` : "See the list of intrinsic functions in the documentation of Heat.",
            );
        }
        if (since[name] > version) {
            throw templateError(
                placeText(value, name),
                `${name} needs heat_template_version ${since[name]} or newer; this template says ${version}`,
                `Write heat_template_version: "${since[name]}".`,
            );
        }
    }
    for (const item of Object.values(value)) checkFunctions(item, version);
}
