"""What harnesses of Java products share: the JVM in their process, what products throw, the process."""

from __future__ import annotations
