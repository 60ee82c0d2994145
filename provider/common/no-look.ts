/** Environment variable: with any value but no, a preview asks no machine and no API that is new. For previews without a network to them. */
export const noLookVariable = "PULUMI_NFV_NO_LOOK";

export const isLookOff = () => !/^(?:no|false|off|0)?$/i.test(process.env[noLookVariable] ?? "");
