/** What stands fourth in `[nfv, VDU | CP, name, …]`, and our word for it where it differs. */
export const answerNames: Record<string, string> = {
    computeFlavourId: "flavor",
    vcImageId: "image",
    locationConstraints: "availabilityZone",
    desired_capacity: "count",
    fixed_ips: "fixedIps",
};
