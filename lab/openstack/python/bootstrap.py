"""Fills a fresh cloud: `identity` needs only Keystone, `resources` the other services, `ready` waits for what has no port.
`prove` (proof.py) shows that what was started does its work.

Reads what there shall be as JSON from standard input (see project.ts). Each phase may be run again; several in one process
spare the time in which Python loads its libraries.
"""
import json
import sys
import time

import amqp
import kombu
import openstack


def by_name(items):
    return {item.name: item for item in items}


def ensure(have, name, create):
    if name not in have:
        have[name] = create()
    return have[name]


def identity(cloud, wanted):
    api, password = cloud.identity, wanted["password"]
    domain = api.get_domain("default")
    projects, users = by_name(api.projects()), by_name(api.users())
    roles, services = by_name(api.roles()), by_name(api.services())
    for name in wanted["roles"]:
        ensure(roles, name, lambda: api.create_role(name=name))
    service_project = ensure(projects, "service", lambda: api.create_project(name="service", domain_id=domain.id))
    for name in wanted["serviceUsers"]:
        user = ensure(users, name, lambda: api.create_user(
            name=name, password=password, domain_id=domain.id, default_project_id=service_project.id))
        for role in ("admin", "service"):
            api.assign_project_role_to_user(service_project, user, roles[role])
    endpoints = {(endpoint.service_id, endpoint.interface) for endpoint in api.endpoints()}
    for entry in wanted["services"]:
        service = ensure(services, entry["name"], lambda: api.create_service(name=entry["name"], type=entry["type"]))
        for interface in ("public", "internal", "admin"):
            if (service.id, interface) not in endpoints:
                api.create_endpoint(
                    service_id=service.id, interface=interface, url=entry["url"], region_id=wanted["region"])
    stacks = api.find_domain("heat") or api.create_domain(name="heat")
    if not list(api.users(domain_id=stacks.id, name="heat_domain_admin")):
        user = api.create_user(name="heat_domain_admin", password=password, domain_id=stacks.id)
        api.assign_domain_role_to_user(stacks, user, roles["admin"])
    members = [(projects["admin"], users["admin"])]
    for name in wanted["projects"]:
        project = ensure(projects, name, lambda: api.create_project(name=name, domain_id=domain.id))
        user = ensure(users, name, lambda: api.create_user(
            name=name, password=password, domain_id=domain.id, default_project_id=project.id))
        members += (project, user), (project, users["admin"])
    for project, user in members:
        for role in wanted["projectRoles"]:
            api.assign_project_role_to_user(project, user, roles[role])


def resources(cloud, wanted):
    for flavor in wanted["flavors"]:
        cloud.compute.find_flavor(flavor["name"]) or cloud.compute.create_flavor(**flavor)
    volume_type = wanted["volumeType"]
    if not cloud.block_storage.find_type(volume_type):
        cloud.block_storage.create_type(name=volume_type, extra_specs={"volume_backend_name": volume_type})
    public = wanted["publicNetwork"]
    if not cloud.network.find_network(public["name"]):
        network = cloud.network.create_network(
            name=public["name"], is_router_external=True, is_shared=True, provider_network_type="flat",
            provider_physical_network="public")
        cloud.network.create_subnet(
            network_id=network.id, name=public["name"], ip_version=4, cidr=public["cidr"],
            gateway_ip=wanted["apiAddress"], is_dhcp_enabled=False,
            allocation_pools=[{"start": public["first"], "end": public["last"]}])
    for name in wanted["projects"]:
        project = cloud.identity.find_project(name).id
        cloud.set_compute_quotas(project, **wanted["quota"]["compute"])
        cloud.set_network_quotas(project, **wanted["quota"]["network"])
        cloud.set_volume_quotas(project, **wanted["quota"]["volume"])
    images(cloud, wanted["images"])


def images(cloud, wanted):
    """An image whose layers have changed is another image: the old one goes."""
    for image in wanted:
        content = json.dumps(image["content"], sort_keys=True).encode()
        for old in cloud.image.images(name=image["name"]):
            if old.properties.get("nfv_content") == image["key"]:
                break
            cloud.image.delete_image(old)
        else:
            cloud.create_image(
                image["name"], data=content, wait=True, disk_format="raw", container_format="bare",
                visibility="public", min_disk=image["minDisk"], min_ram=image["minRam"], validate_checksum=False,
                meta={"nfv_content": image["key"], "os_distro": "debian", "os_version": "12",
                      "os_admin_user": "debian"})


def unread(wanted):
    """Services that do not read their queue yet. What is sent to them is lost: a network made meanwhile gets no DHCP.

    Their heartbeats do not show it: they begin earlier, and the database has those of the last start.
    """
    missing = []
    with kombu.Connection(wanted["messageQueue"].replace("rabbit:", "amqp:")) as connection:
        for service, queue in wanted["queues"].items():
            with connection.channel() as channel:  # a question for an unknown queue closes its channel
                try:
                    read = channel.queue_declare(queue=queue, passive=True).consumer_count
                except amqp.exceptions.NotFound:
                    read = 0
            missing += [] if read else [service]
    return missing


def ready(cloud, wanted):
    end = time.time() + 240
    while time.time() < end:
        missing = []
        try:
            missing = (
                [name for name in wanted["computeServices"]
                 if name not in {s.binary for s in cloud.compute.services() if s.state == "up"}]
                + [name for name in wanted["networkAgents"]
                   if name not in {a.binary for a in cloud.network.agents() if a.is_alive}]
                + unread(wanted)
                # A scheduler that missed the driver's first report knows of no place for volumes.
                + ([] if list(cloud.block_storage.backend_pools()) else ["a pool of volumes"]))
        except Exception as error:  # pylint: disable=broad-except
            missing = [str(error)]
        if not missing:
            return
        time.sleep(0.5)
    sys.exit("%s: not ready; missing: %s" % (missing[0], ", ".join(missing)))


def prove(cloud, wanted):
    import proof  # pylint: disable=import-outside-toplevel
    try:
        proof.prove(cloud, wanted)
    except proof.Failed as error:
        sys.exit(str(error))


PHASES = {"identity": identity, "resources": resources, "ready": ready, "prove": prove}
if __name__ == "__main__":
    connection, project = openstack.connect(), json.load(sys.stdin)
    for phase in sys.argv[1:]:
        PHASES[phase](connection, project)
