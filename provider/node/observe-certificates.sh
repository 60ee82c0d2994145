#!/bin/sh
# observe-certificates.sh: looks whether the system trusts our certificate authorities, and no former ones of ours.
# inputs: COUNT
# constants: CERTIFICATE_FOLDER

. shell/lib/observed.sh

target=/usr/local/share/ca-certificates
[ ! -d /etc/pki/ca-trust/source/anchors ] || target=/etc/pki/ca-trust/source/anchors
i=1
while [ $i -le "$COUNT" ]; do
    cmp -s "$CERTIFICATE_FOLDER/pulumi-nfv-$i.crt" "$target/pulumi-nfv-$i.crt" || differs "$target/pulumi-nfv-$i.crt has changed"
    i=$((i + 1))
done
for file in "$target"/pulumi-nfv-*.crt; do
    [ -e "$file" ] || continue
    number=${file##*-}
    [ "${number%.crt}" -le "$COUNT" ] || differs "$file is not wanted any more"
done
