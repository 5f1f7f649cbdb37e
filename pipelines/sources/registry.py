"""All sources, in the one place where they are listed: a new one is a module and its name here.

The order is that in which they are unified: of two releases of a benchmark, or of two benchmarks that ask the same
question, the earlier here counts as the first. Released sets come before the live bank they were drawn from.
"""

from pipelines.benchmarks.cognet_md import source as cognet
from pipelines.benchmarks.igakuqa import source as igakuqa
from pipelines.benchmarks.kokushi_md10 import source as kokushi
from pipelines.benchmarks.medschool import bank as mur
from pipelines.benchmarks.medschool import release as medschool
from pipelines.sources.base import Source

_ALL: tuple[Source, ...] = (medschool, mur, cognet, kokushi, igakuqa)
SOURCES: dict[str, Source] = {source.NAME: source for source in _ALL}
