"""Claims about engines, what was measured, and whether the two agree."""

from dexlab_course.claims.catalogue import Claim, catalogue
from dexlab_course.claims.evidence import folded_table, verify
from dexlab_course.claims.expectation import Raised, raised

__all__ = ["Claim", "Raised", "catalogue", "folded_table", "raised", "verify"]
