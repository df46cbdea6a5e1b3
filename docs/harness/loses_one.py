"""A reader with a fault: the reference, which leaves out the first decision of each transaction log."""

from journalspec_conformance.harnesses.reference import Reference


class LosesOne(Reference):
    """It forgets the first record."""

    def recover(self, request):
        """Answer as the reference does, without the first record."""
        reply = super().recover(request)
        if "ok" in reply and "records" in reply["ok"]:
            reply["ok"]["records"] = reply["ok"]["records"][1:]
        return reply
