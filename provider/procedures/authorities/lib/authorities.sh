#!/bin/sh
# authorities.sh: the authorities of this machine's cluster, and the next ones that a rotation brings.
# Wants work-folder.sh. next_file PATH prints a file of the next authorities, by its path below the folder of keys; "PATH.bridge" is its certificate as the one
# before has signed it. refuse_other_authority PATH BRIDGE ends the script where the authority of this machine has not signed the bridge, or one of them is not
# valid now. with_authority CONFIG FILE prints a kubeconfig that trusts it. note_authority FILE: this machine knows from now on that its cluster has this
# authority, too. put_file PATH MODE: standard input takes the file's place if it has another content.
# secrets: authorities (a line "PATH BASE64" for each file)
# constants: AUTHORITY_FILE PKI_FOLDER ROTATION_FAILED
# shellcheck disable=SC2154 # the caller sets $work

. procedures/authorities/lib/authority-name.sh

. member/lib/has-text-of.sh

. member/lib/replace-file.sh

# FILE
time_of() { openssl x509 -noout -startdate -enddate -in "$1" | sed 's/notBefore=/from /; s/notAfter=/until /' | paste -s -d ' ' -; }
refuse_other_authority() {
    if openssl verify -CAfile "$PKI_FOLDER/$1.crt" "$2" >/dev/null 2>&1; then return 0; fi
    if openssl verify -no_check_time -CAfile "$PKI_FOLDER/$1.crt" "$2" >/dev/null 2>&1; then
        echo "by the clock of this machine it is $(LC_ALL=C date -u), when not both are valid: $PKI_FOLDER/$1.crt, $(time_of "$PKI_FOLDER/$1.crt"), and its bridge to" \
            "the new authority, $(time_of "$2"). Correct the clock if it is wrong; an authority that has ended cannot be rotated" >&2
        exit "$ROTATION_FAILED"
    fi
    echo "$PKI_FOLDER/$1.crt is neither the former authority nor the new one: somebody has exchanged it, or the state of the stack is from before a rotation that this cluster has had. Then bring the newest state back (pulumi stack import)" >&2
    exit "$ROTATION_FAILED"
}
next_file() { sed -n "s|^$1 ||p" "$SECRETS/authorities" | base64 -d; }
# not by replace_file: the note may have the same text as the authority's own file, which refreshes look at
note_authority() {
    if has_text_of "$1" "$AUTHORITY_FILE"; then return 0; fi
    cat "$1" "$AUTHORITY_FILE" > "$AUTHORITY_FILE".new
    chmod 644 "$AUTHORITY_FILE".new
    sync -- "$AUTHORITY_FILE".new
    mv "$AUTHORITY_FILE".new "$AUTHORITY_FILE"
}
with_authority() { sed "s|^\( *certificate-authority-data:\).*|\1 $(base64 -w0 "$2")|" "$1"; }
put_file() {
    cat > "$work/put"
    if cmp -s "$work/put" "$1"; then return 0; fi
    replace_file "$1" "$2" < "$work/put"
}
