"""Validates a file of Zuul's configuration by the schemas of Zuul itself. Usage: zuul-check.py FILE"""
import sys

from zuul import configloader, model

schemas = {
    "secret": lambda: configloader.SecretParser(None).schema,
    "semaphore": lambda: configloader.SemaphoreParser(None).schema,
    "job": lambda: configloader.JobParser.schema,
    "project": lambda: configloader.ProjectParser(None).schema,
}
context = model.SourceContext("site", "site", "connection", "main", sys.argv[1])
with open(sys.argv[1], encoding="utf-8") as stream:
    items = configloader.safe_load_yaml(stream.read(), context)
for item in items:
    ((kind, content),) = item.items()
    schemas[kind]()(content)
    print(kind, content.get("name", ""))
