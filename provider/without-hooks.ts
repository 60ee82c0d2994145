/**
 * Environment variable: set if the language host between program and engine does not pass hooks on (the one built from
 * Go modules). Apart from hooks.ts: who sets it does not load Pulumi's SDK.
 */
export const withoutHooks = "PULUMI_NFV_WITHOUT_HOOKS";
