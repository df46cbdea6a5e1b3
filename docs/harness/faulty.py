"""The reference with two faults: a reader that leaves a record out, and a writer that forgets fsyncs."""

from journalspec_conformance.harnesses.reference import Reference


class LosesOne(Reference):
    """Its recovery leaves out the first record."""

    def recover(self, request):
        """Answer as the reference does, without the first record."""
        reply = super().recover(request)
        if "ok" in reply and "records" in reply["ok"]:
            reply["ok"]["records"] = reply["ok"]["records"][1:]
        return reply


class ForgetsFsync(Reference):
    """It opens a journal as the reference does, and makes no fsync after that."""

    def write(self, request):
        """Write as the reference does; of later steps no fsync is reported, since none is made."""
        for reply in super().write(request):
            if reply.get("step", "0") != "0" and "io" in reply:
                reply["io"] = [entry for entry in reply["io"] if entry["op"] != "sync"]
            yield reply
