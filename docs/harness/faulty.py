"""The reference with two faults: a reader that omits a record, and a writer that omits fsyncs."""

from journalspec_conformance.harnesses.reference import Reference


class LosesOne(Reference):
    """The recovery of this reader omits the first record."""

    def recover(self, request):
        """Answer as the reference does, without the first record."""
        reply = super().recover(request)
        if "ok" in reply and "records" in reply["ok"]:
            reply["ok"]["records"] = reply["ok"]["records"][1:]
        return reply


class ForgetsFsync(Reference):
    """This writer performs no fsync after it has opened its journal."""

    def write(self, request):
        """Write as the reference does. The later steps report no fsync, because none is performed."""
        for reply in super().write(request):
            if reply.get("step", "0") != "0" and "io" in reply:
                reply["io"] = [entry for entry in reply["io"] if entry["op"] != "sync"]
            yield reply
