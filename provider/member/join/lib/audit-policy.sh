#!/bin/sh
# audit-policy.sh: the audit policy with which the API server of this machine has started, kept for the case that a changed one does not work.
# api_server_audits: the API server's manifest has our policy. keep_policy: it has started with the present one.
# constants: API_SERVER_FOLDER API_SERVER_MANIFEST AUDIT_POLICY_FILE

proven=$API_SERVER_FOLDER/.audit-policy.proven
api_server_audits() { grep -qF -e "--audit-policy-file=$AUDIT_POLICY_FILE" "$API_SERVER_MANIFEST" 2>/dev/null; }
keep_policy() {
    cp -p "$AUDIT_POLICY_FILE" "$proven".new
    sync -- "$proven".new
    mv "$proven".new "$proven"
}
restore_policy() {
    cp -p "$proven" "$AUDIT_POLICY_FILE".new
    sync -- "$AUDIT_POLICY_FILE".new
    mv "$AUDIT_POLICY_FILE".new "$AUDIT_POLICY_FILE"
}
