"""The DexLab course: every statement about three robot engines, measured on the engine itself.

Import what you need from its folder, for example ``from dexlab_course.control import laws``. Importing the package alone
brings no engine and nothing heavy.
"""

__version__ = "0.1.0"
