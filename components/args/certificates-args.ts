/** What users write about certificates. Part of the schema like args.ts. */

/** Validity and renewal of the nodes' certificates. */
export interface CertificatesArgs {
    /**
     * From how many days before its end on `pulumi up` renews a certificate. Less than `validityDays`.
     * @default 90, or a third of `validityDays` if that is less
     * @change nothing: until a certificate is due by it; then that node's are renewed. See docs/certificates.md
     */
    renewBeforeDays?: number;
    /**
     * Validity of the certificates that kubeadm makes, in days: at the join, and at each renewal. The kubelet makes its own, for a year.
     * @default 365
     * @change rolling: the API server loads a new certificate without a restart; the other certificates get it at their next renewal
     */
    validityDays?: number;
}
