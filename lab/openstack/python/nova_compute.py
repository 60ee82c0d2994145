"""nova-compute with the lab's driver: Nova loads drivers only from its own package nova.virt, whose search path is extended here."""
import os
import sys

from nova.cmd import compute
import nova.virt

nova.virt.__path__.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nova_virt"))
sys.argv[0] = "nova-compute"
sys.exit(compute.main())
