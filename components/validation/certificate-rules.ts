import type { PlainArgs } from "../common/plain-args";

/** The authorities hold for ten years; a third of the shortest validity is a day. */
const validity = { least: 3, most: 3650, usual: 365 };

/** Validity and renewal of the nodes' certificates: place → what is wrong there. */
export function certificateRule({ certificates = {} }: Pick<PlainArgs, "certificates">): [string, string][] {
    const { renewBeforeDays, validityDays = validity.usual } = certificates;
    const isWithin = (days: number, least: number, most: number) =>
        Number.isInteger(days) && days >= least && days <= most;
    const { least, most } = validity;
    if (!isWithin(validityDays, least, most))
        return [
            [
                "certificates.validityDays",
                `${validityDays} is not allowed: a whole number of days from ${least} to ${most}`,
            ],
        ];
    if (renewBeforeDays === undefined || isWithin(renewBeforeDays, 1, validityDays - 1)) return [];
    const rule = `a whole number of days, at least 1 and less than the validity of ${validityDays} days`;
    return [["certificates.renewBeforeDays", `${renewBeforeDays} is not allowed: ${rule}`]];
}
