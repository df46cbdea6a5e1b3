"""Lists the journals below a directory that have lost something, and why: ``python lost_records.py DIR``."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import count, sum

from journalspec_reference.spark import register

spark = SparkSession.builder.appName("lost records").getOrCreate()
register(spark)

journals = spark.read.format("journalspec").option("view", "journals").load(sys.argv[1])
journals.groupBy("format", "verdict").agg(count("journal").alias("journals")).orderBy(
    "format", "verdict"
).show()

rows = spark.read.format("journalspec").load(sys.argv[1])
lost = rows.where("kind = 'dropped'").groupBy("format", "reason")
lost.agg(count("journal").alias("regions"), sum("len").alias("bytes")).orderBy("format", "reason").show()

# The columns of a format have types only if all journals are of that format.
logs = spark.read.format("journalspec").option("format", "bitronix_tlog").load(sys.argv[1])
decisions = logs.where("kind = 'record' and role = 'active' and type = 'COMMITTING'")
decisions.selectExpr("journal", "off", "hex(gtrid) as gtrid").orderBy("journal", "off").show(5)
