#!/bin/sh
# look-at-repository.sh: fails if a repository certainly has no packages of a version. It looks without any file of its own, so it looks at the index alone.
# What cannot be asked in a few seconds, or is compressed in another way, is left to the step that installs.
# inputs: VERSION URL (of the repository, with a slash at its end) INDEXES (files of which each such repository has one)
# inputs: ABSENT (answers that say that there is no such file) LIST (its list of packages)
# constants: VERSION_MISMATCH

. shell/lib/usual-path.sh

command -v curl >/dev/null || exit 0
is_absent() {
    answer=$(curl -s -L --proto =https,http -m 4 -o /dev/null -w '%{http_code}' "$URL$1" || true)
    # no answer: the list would have none either
    [ "$answer" != 000 ] || exit 0
    case " $ABSENT " in *" $answer "*) ;; *) return 1 ;; esac
}
missing=
for index in $INDEXES; do
    is_absent "$index" || { missing=; break; }
    missing="${missing:+$missing, }$index is answered by $answer"
done
if [ -n "$missing" ]; then
    echo "there is no repository of Kubernetes $VERSION at $URL: $missing" >&2
    exit "$VERSION_MISMATCH"
fi
[ -n "$LIST" ] || exit 0
# a list that was cut off proves nothing: the version may stand in the part that is missing
said=$({ curl -sf -L --proto =https,http -m 4 "$URL$LIST" && echo && echo "End: yes"; } | head -c 4000000 | awk '
    $1 == "Package:" { own = $2 == "kubelet" }
    own && $1 == "Version:" { sub(/-.*/, "", $2); print $2 }
    $1 == "End:" { print "end" }')
case $said in *end) ;; *) exit 0 ;; esac
versions=$(printf '%s\n' "$said" | sed '$d' | sort -uV)
if [ -z "$versions" ] || printf '%s\n' "$versions" | grep -qxF "$VERSION"; then exit 0; fi
echo "the repository has no kubelet $VERSION; it has $(printf '%s\n' "$versions" | tail -n 12 | tr '\n' ' ')" >&2
exit "$VERSION_MISMATCH"
