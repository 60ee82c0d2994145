#!/bin/sh
# prepare-certificate.sh: creates a token with which the kubelet of a node that is a member gets a client certificate again.
# inputs: NAME

. shell/lib/as-administrator.sh

kubeadm token create --ttl 20m --description "certificate of $NAME"
