/** Environment variable: with any value, a preview asks no machine and no API that is new. For previews without a network to them. */
export const noLookVariable = "PULUMI_NFV_NO_LOOK";

export const isLookOff = () => (process.env[noLookVariable] ?? "") !== "";
