import cProfile, pstats, sys
from io import BytesIO
import pyarrow.parquet as pq
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import judged_shard

plan = Plan("derby_log", "core")
plan.workloads()
judged_shard(plan, 5).table() if len(sys.argv) < 2 else None
p = cProfile.Profile()
p.enable()
for number in range(0, plan.shards(), 16):
    pq.write_table(judged_shard(plan, number).table(), BytesIO())
p.disable()
p.dump_stats("/tmp/h/derby/prof.out")
