#!/bin/sh
# publish-authority.sh: the objects by which others learn the cluster's authorities have the new ones: cluster-info for machines that join,
# extension-apiserver-authentication for servers that take users of the API, kube-root-ca.crt for pods.
# constants: PKI_FOLDER ROTATION_FAILED

. shell/lib/as-administrator.sh

. shell/lib/work-folder.sh
kubectl -n kube-public get configmap cluster-info --ignore-not-found -o 'jsonpath={.data.kubeconfig}' > "$work/former"
# somebody may have taken it away, so that no stranger learns of the cluster
if [ -s "$work/former" ]; then
    sed "s|^\( *certificate-authority-data:\).*|\1 $(base64 -w0 "$PKI_FOLDER"/ca.crt)|" "$work/former" > "$work/kubeconfig"
    if ! cmp -s "$work/former" "$work/kubeconfig"; then
        kubectl -n kube-public create configmap cluster-info --from-file=kubeconfig="$work/kubeconfig" --dry-run=client -o json > "$work/patch"
        kubectl -n kube-public patch configmap cluster-info --type=merge --patch-file "$work/patch"
    fi
fi
# API servers add their authorities to those that are there, and take none away: with a former key one could pretend to be any user towards servers behind the API
kubectl -n kube-system create configmap extension-apiserver-authentication --from-file=client-ca-file="$PKI_FOLDER"/ca.crt \
    --from-file=requestheader-client-ca-file="$PKI_FOLDER"/front-proxy-ca.crt --dry-run=client -o json > "$work/patch"
kubectl -n kube-system patch configmap extension-apiserver-authentication --type=merge --patch-file "$work/patch"
# the controller manager writes it into each namespace
published() { kubectl -n "$1" get configmap kube-root-ca.crt --ignore-not-found -o 'jsonpath={.data.ca\.crt}' | tr -d ' \r\n'; }
wanted=$(tr -d ' \r\n' < "$PKI_FOLDER"/ca.crt)
end=$(($(date +%s) + 180))
until [ "$(published kube-system)" = "$wanted" ]; do
    if [ "$(date +%s)" -ge "$end" ]; then
        echo "pods do not get the new authority: the controller manager has not written it into the ConfigMap kube-root-ca.crt of kube-system after 3 minutes" >&2
        exit "$ROTATION_FAILED"
    fi
    sleep 2
done
echo "pods that start from now on know the new authority alone"
