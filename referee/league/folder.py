"""The results folder: logs, the secret until it is revealed, one writer at a time.

    logs/GAME.RULESET.PAIRING.jsonl    everything that was played
    plan.json                          how many sets of what are planned
    secret                             0600, only while a league is not complete
    revealed.json                      secrets of what is complete, by commitment
    stderr/PAIRING/*.txt               what bots wrote to standard error, by seat and first set
    lock                               held by the referee that writes here
"""

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import IO

from referee.cards import commitment
from referee.errors import ConfigError, LogError
from referee.log import Log, read

_SECRET = re.compile(r"[0-9a-f]{64}")

_NAME_CHARACTERS = 200
"""A longer file name ends in a digest instead: many options make a long ruleset."""


class Folder:
    """A results folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs = path / "logs"
        self.stderr = path / "stderr"
        self.plan = path / "plan.json"
        self.errors = path / "worker-errors.txt"
        self._secret = path / "secret"
        self._revealed = path / "revealed.json"
        self._lock: IO[bytes] | None = None

    def open_for_writing(self) -> None:
        """Make the folder and lock it; ConfigError when another referee is writing there."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            self.stderr.mkdir(exist_ok=True)
            self._lock = (self.path / "lock").open("ab")
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise ConfigError(
                f"{self.path}: another referee is writing there; wait for it or stop it"
            ) from None

    def close(self) -> None:
        """Let others write."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def tidy(self) -> None:
        """Remove what turned out to be empty: nobody wrote to standard error."""
        for folder in self.stderr.iterdir():
            if not any(folder.iterdir()):
                folder.rmdir()
        if not any(self.stderr.iterdir()):
            self.stderr.rmdir()
        if self.errors.exists() and not self.errors.stat().st_size:
            self.errors.unlink()

    def log_path(self, game: str, ruleset: str, pairing: str) -> Path:
        """The log of a pairing."""
        full = f"{game}.{ruleset}.{pairing}"
        safe = re.sub(r"[^a-zA-Z0-9_.+=,-]", "_", full)
        if len(safe) > _NAME_CHARACTERS:
            safe = f"{safe[: _NAME_CHARACTERS - 17]}-{sha256(full.encode()).hexdigest()[:16]}"
        return self.logs / f"{safe}.jsonl"

    def log_paths(self) -> list[Path]:
        """The logs of the folder, by file name."""
        return sorted(self.logs.glob("*.jsonl"))

    def read_logs(self) -> list[Log]:
        """All logs of the folder, by file name."""
        return [read(path) for path in self.log_paths()]

    # ---- the secret --------------------------------------------------------------------------

    def secret(self) -> str | None:
        """The secret of the league that is not complete yet, if there is one."""
        try:
            found = self._secret.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            return None
        if not found:
            return None
        if not _SECRET.fullmatch(found):
            raise ConfigError(f"{self._secret}: expected a secret of 64 digits 0-9a-f")
        return found

    def new_secret(self, given: str | None = None) -> str:
        """Draw a secret (or take a given one) and keep it where only its owner can read it."""
        secret = given or secrets.token_hex(32)
        # Whole or not at all, also when the referee is killed here.
        fresh = self._secret.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secret + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.rename(fresh, self._secret)
        return secret

    def reveal(self, secret: str) -> None:
        """The league is complete: publish its secret."""
        known = self.revealed()
        known[commitment(secret)] = secret
        fresh = self._revealed.with_suffix(".new")
        fresh.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="ascii")
        os.replace(fresh, self._revealed)
        self._secret.unlink(missing_ok=True)

    def revealed(self) -> dict[str, str]:
        """Published secrets by commitment."""
        try:
            found = json.loads(self._revealed.read_bytes())
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            raise LogError(f"{self._revealed}: not JSON") from None
        if not isinstance(found, dict) or not all(
            isinstance(secret, str) and _SECRET.fullmatch(secret) for secret in found.values()
        ):
            raise LogError(f"{self._revealed}: expected an object of commitments and secrets")
        return found


def set_aside(log: Log) -> None:
    """Move an incomplete set at the end of a log out of the way, before more is appended."""
    if log.set_aside:
        set_aside_from(log.path, log.good_bytes)


def set_aside_from(path: Path, good_bytes: int) -> None:
    """Move what a log has after so many bytes into a file beside it."""
    data = path.read_bytes()
    with path.with_suffix(".aside").open("ab") as aside:
        aside.write(data[good_bytes:].rstrip(b"\n") + b"\n")
    with path.open("r+b") as file:
        file.truncate(good_bytes)
        file.flush()
        os.fsync(file.fileno())


def of_log(path: Path) -> Folder:
    """The results folder that a log lies in."""
    return Folder(path.resolve().parent.parent)


def logs_at(paths: Iterable[Path]) -> list[tuple[Log, Folder]]:
    """The logs that paths name: log files, or results folders."""
    found = []
    for path in paths:
        if path.is_dir():
            folder = Folder(path)
            logs = folder.read_logs()
            if not logs:
                raise ConfigError(f"{path}: no logs in it; expected a results folder")
            found += [(log, folder) for log in logs]
        elif path.exists():
            found.append((read(path), of_log(path)))
        else:
            raise ConfigError(f"{path}: there is no such log or folder")
    return found


def the_log(path: Path) -> tuple[Log, Folder]:
    """The one log that a path names; ConfigError with their names where there are several."""
    found = logs_at([path])
    if len(found) > 1:
        names = "\n".join(f"  {log.path}" for log, _ in found)
        raise ConfigError(f"{path}: there are {len(found)} logs in it; name one of them:\n{names}")
    return found[0]
