import type { ErrorCode } from "../common/errors";

/** Exit codes by which our scripts report the kind of failure. */
export const exitCodes = {
    VERSION_MISMATCH: 40,
    QUORUM_AT_RISK: 41,
    VRID_IN_USE: 42,
    DRAIN_FAILED: 43,
    UNSUPPORTED_SYSTEM: 44,
    NO_CONTROL_PLANE: 45,
    FOREIGN_NODE: 46,
    ADDRESS_IN_USE: 47,
    NODE_BUSY: 48,
    FOREIGN_VOLUME: 49,
    NOT_SERVED: 50,
    VOLUME_LOST: 51,
    BACKUP_FAILED: 52,
    RESTORE_FAILED: 53,
    FOREIGN_SOFTWARE: 54,
    ROTATION_FAILED: 55,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** The part of the table for one step, for `StepBody.errors`. */
export function errorsFor(...codes: (keyof typeof exitCodes)[]): Record<number, ErrorCode> {
    return Object.fromEntries(codes.map(code => [exitCodes[code], code]));
}

/** For each step whose script installs packages by lib/packages.sh. */
export const installErrors = errorsFor("FOREIGN_SOFTWARE", "UNSUPPORTED_SYSTEM");
