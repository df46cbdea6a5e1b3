"""Answers hello, and nothing else."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "hello":
        reply = {
            "protocol": 1,
            "impl": {"name": "my-reader", "version": "1", "language": "python"},
            "formats": {},
        }
        print(json.dumps({"seq": request["seq"], **reply}), flush=True)
