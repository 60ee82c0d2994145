"""The WSGI application of the script in $WSGI_SCRIPT, for uWSGI with threads.

oslo.messaging imports eventlet, and where eventlet is loaded oslo.log makes the lock of Python's logging a green one. A thread of uWSGI that
waits for such a lock is never woken by another thread: its request gets no answer, for ever.
"""
import logging
import os
import runpy
import threading

import oslo_log.log

oslo_log.log._fix_eventlet_logging = lambda: None

application = runpy.run_path(os.environ["WSGI_SCRIPT"], run_name="uwsgi")["application"]

if not isinstance(logging._lock, type(threading.RLock())):
    raise RuntimeError("the lock of Python's logging is %r: threads of uWSGI would wait for ever" % logging._lock)
