"""All sources, in the one place where they are listed: a new one is a module and its name here.

The order is that in which they are unified: of two releases of a benchmark, or of two benchmarks that ask the same
question, the earlier here counts as the first. Released sets come before the live bank they were drawn from.
"""

from pipelines.sources import cognet, igakuqa, kokushi, medschool, mur
from pipelines.sources.base import Source

_ALL: tuple[Source, ...] = (medschool, mur, cognet, kokushi, igakuqa)
SOURCES: dict[str, Source] = {source.NAME: source for source in _ALL}
