import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { newWebhookKeys, renewalDue, renewedWebhookKeys, type WebhookKeys } from "../../../../provider/cluster-api";
import { sampleComponents, samples } from "./sample-components";

const day = 86_400_000;
const { core, openstack } = samples;
const capi = "capi-system/capi-cert";
const capo = "capo-system/capo-cert";

describe("the keys of webhooks", () => {
    let keys: WebhookKeys;
    before(async () => {
        keys = await newWebhookKeys([core, openstack], { servingDays: 90 });
    });
    const later = (days: number, providers = [core, openstack]) =>
        renewedWebhookKeys(keys, providers, { servingDays: 90 }, Date.now() + days * day);
    const certificate = (found: WebhookKeys, name: string) => new X509Certificate(found.serving[name]!.certificate);

    it("are one certificate for each server, signed by the authority, for servers only", () => {
        deepStrictEqual(Object.keys(keys.serving).sort(), [capi, capo]);
        const authority = new X509Certificate(keys.authority.certificate);
        for (const name of [capi, capo]) {
            ok(certificate(keys, name).verify(authority.publicKey));
            deepStrictEqual(certificate(keys, name).keyUsage, ["1.3.6.1.5.5.7.3.1"]);
        }
        strictEqual(keys.formerAuthorities, "");
    });

    it("stay as they are while two thirds of their life have not passed", async () => {
        strictEqual(await later(59), keys);
        const due = (Date.parse(renewalDue(keys)) - Date.now()) / day;
        ok(due > 59 && due < 61, `${due}`);
    });

    it("get new certificates of the same authority after that", async () => {
        const renewed = await later(61);
        strictEqual(renewed.authority, keys.authority);
        notStrictEqual(renewed.serving[capi]!.certificate, keys.serving[capi]!.certificate);
        strictEqual(renewed.formerAuthorities, "");
    });

    it("follow the providers: those that stay keep their certificates", async () => {
        const without = await later(0, [core]);
        deepStrictEqual(without.serving, { [capi]: keys.serving[capi] });
        const again = await renewedWebhookKeys(without, [core, openstack]);
        strictEqual(again.serving[capi], keys.serving[capi]);
        ok(again.serving[capo]);
    });

    it("follow the name of the server", async () => {
        const components = sampleComponents("capi", "capi-system").replace(
            "capi-webhook-service.capi-system",
            "new.capi-system",
        );
        const renewed = await later(0, [{ ...core, components }, openstack]);
        ok(certificate(renewed, capi).checkHost("new.capi-system.svc"));
        strictEqual(renewed.serving[capo], keys.serving[capo]);
    });

    it("change the authority before it could not sign for a whole life, and trust the former one on", async () => {
        strictEqual((await later(3650 - 95)).authority, keys.authority);
        const renewed = await later(3650 - 85);
        notStrictEqual(renewed.authority.certificate, keys.authority.certificate);
        strictEqual(renewed.formerAuthorities, keys.authority.certificate);
        ok(certificate(renewed, capi).verify(new X509Certificate(renewed.authority.certificate).publicKey));
        ok(!certificate(renewed, capi).verify(new X509Certificate(keys.authority.certificate).publicKey));
    });

    it("have names that are longer than a common name may be", async () => {
        const prefix = "a-very-long-prefix-of-a-provider-such-as-the-control-plane-of-kubeadm-has";
        const components = sampleComponents(prefix, `${prefix}-system`);
        const found = await newWebhookKeys([{ ...core, components }]);
        ok(
            certificate(found, `${prefix}-system/${prefix}-cert`).checkHost(
                `${prefix}-webhook-service.${prefix}-system.svc`,
            ),
        );
    });
});
