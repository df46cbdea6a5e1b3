"""Which journals below a directory have lost something, and why? ``python lost_records.py DIR``."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import count, sum

from journalspec_reference.spark import register

spark = SparkSession.builder.appName("lost records").getOrCreate()
register(spark)

rows = spark.read.format("journalspec").load(sys.argv[1])
lost = rows.where("kind = 'dropped'").groupBy("format", "reason")
lost.agg(count("journal").alias("regions"), sum("len").alias("bytes")).orderBy("format", "reason").show()

decisions = rows.where("kind = 'record' and role = 'active' and type = 'COMMITTING'")
decisions.select("journal", "off", decisions.fields["gtrid"].alias("gtrid")).orderBy("journal", "off").show(5)
