"""The command line: one name, `dexlab`, and a verb."""

import sys
from typing import ClassVar

import click

from dexlab_course import __version__
from dexlab_course.errors import DexlabCourseError


class _Verbs(click.Group):
    """A verb's module is imported when the verb is used, so that `dexlab --help` answers at once."""

    _VERBS: ClassVar[dict[str, str]] = {
        "run": "Run the pages on the real engines and write the ledger of claims.",
        "claims": "Search the claims: what each engine does, and the evidence.",
        "doctor": "Check the installation; each problem comes with its remedy.",
        "outputs": "Refresh the outputs stored in the pages (for authors).",
    }

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._VERBS.items()))

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self._VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        import importlib

        if name not in self._VERBS:
            return None
        command: click.Command = getattr(importlib.import_module(f"dexlab_course.commands.{name}"), name)
        return command


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dexlab")
def dexlab() -> None:
    """The DexLab course: run it, check your installation, search its claims."""


def main() -> None:
    """Entry point: the course's own errors are sentences for a reader, not tracebacks."""
    try:
        dexlab.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except DexlabCourseError as error:
        click.echo(f"dexlab: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
