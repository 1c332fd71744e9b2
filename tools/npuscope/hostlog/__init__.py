"""Host logs as RAS records of one schema: kernel AER in its wordings, APEI/GHES, Xid, EDAC, ptp4l and its kin, SEL.

Every line becomes part of a record or is kept as text; nothing is dropped. A record's id is a hash of its text, so that
reading a log twice adds nothing. Times keep their domain: UTC of a stamp with its zone, local time without one, or
seconds since boot; only known offsets put them on the axis of a trace.
"""

from npuscope.hostlog.parse import parse_log
from npuscope.hostlog.pcie import aer_agent, aer_layer
from npuscope.hostlog.record import SCHEMA, Coverage, HostEvent, read_events

__all__ = ["SCHEMA", "Coverage", "HostEvent", "aer_agent", "aer_layer", "parse_log", "read_events"]
