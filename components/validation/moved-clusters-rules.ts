import { dnsLabel, dnsLabelRule, type Problem, type Rule } from "./rule";

/** The part of `MovedClustersArgs` that the rules read. It itself refers to components, which use the rules: a cycle. */
interface Checked {
    from?: object;
    fromVim?: object;
    to?: object;
    toVim?: object;
    namespaces?: string[];
    timeoutSeconds?: number;
}

export const movedClustersRules: Rule<Checked>[] = [
    ({ from, fromVim }) =>
        (from === undefined) === (fromVim === undefined) ? [["from", "set exactly one of: from, fromVim"]] : [],
    ({ to, toVim }) => ((to === undefined) === (toVim === undefined) ? [["to", "set exactly one of: to, toVim"]] : []),
    ({ namespaces }) => (namespaces?.length === 0 ? [["namespaces", "is empty; leave it out to move all"]] : []),
    ({ namespaces = [] }) =>
        namespaces.flatMap((each, i): Problem[] => (dnsLabel.test(each) ? [] : [[`namespaces[${i}]`, dnsLabelRule]])),
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
];
