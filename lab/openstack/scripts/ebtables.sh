#!/bin/sh
# ebtables.sh: ebtables as Neutron's agent calls it: -t TABLE --concurrent -D CHAIN RULE.
# ebtables-nft 1.8.9 cannot delete a rule with --among-src, and the agent tries that for ever, with longer and longer pauses in which
# no port of the cloud is wired. All rules of such a chain are deleted at once before new ones come: it is set back to its default.
/usr/sbin/ebtables "$@" && exit
code=$?
case "$4 $5" in
    "-D neutronMAC-"*)
        /usr/sbin/ebtables -t "$2" --concurrent -F "$5" &&
            exec /usr/sbin/ebtables -t "$2" --concurrent -A "$5" -j DROP
        ;;
esac
exit "$code"
