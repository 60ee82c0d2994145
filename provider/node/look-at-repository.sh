#!/bin/sh
# look-at-repository.sh: fails if a repository certainly has no packages of a version. It looks without any file of its own, so it looks at the index alone.
# What cannot be asked in a few seconds, or is compressed in another way, is left to the step that installs.
# inputs: VERSION URL (of the repository, with a slash at its end) INDEX (a file that each such repository has) LIST (its list of packages)
# constants: VERSION_MISMATCH

. shell/lib/usual-path.sh

command -v curl >/dev/null || exit 0
answer=$(curl -s -L --proto =https,http -m 4 -o /dev/null -w '%{http_code}' "$URL$INDEX" || true)
if [ "$answer" = 404 ] || [ "$answer" = 403 ]; then
    echo "there is no repository of Kubernetes $VERSION at $URL: $INDEX is answered by $answer" >&2
    exit "$VERSION_MISMATCH"
fi
[ -n "$LIST" ] || exit 0
versions=$(curl -sf -L --proto =https,http -m 4 "$URL$LIST" | head -c 4000000 | awk '$1 == "Package:" { own = $2 == "kubelet" } own && $1 == "Version:" { sub(/-.*/, "", $2); print $2 }' | sort -uV || true)
if [ -z "$versions" ] || printf '%s\n' "$versions" | grep -qxF "$VERSION"; then exit 0; fi
echo "the repository has no kubelet $VERSION; it has $(printf '%s\n' "$versions" | tail -n 12 | tr '\n' ' ')" >&2
exit "$VERSION_MISMATCH"
