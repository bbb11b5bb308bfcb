"""Folders that bots have filled: deleted, however deep they are and whatever is in them."""

import os
import secrets
import stat
import time

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_folder(path: str, seconds: float) -> bool:
    """
    Delete a folder that a bot has filled, and say whether it is gone.

    However deep it is: each subfolder is moved up to the top before it is emptied, so there is no
    recursion, no long path, and never more than two open folders.
    """
    deadline = time.monotonic() + seconds
    stuck: set[str] = set()
    try:
        if not os.path.islink(path):
            os.chmod(path, 0o700)
        top = os.open(path, FOLDER)
    except OSError:
        return not os.path.lexists(path)
    try:
        while names := set(os.listdir(top)) - stuck:
            for name in names:
                try:
                    _remove(name, top, deadline)
                except OSError:  # immutable, a mount, or out of time: the others still go
                    stuck.add(name)
    finally:
        os.close(top)
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def _remove(name: str, top: int, deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError
    if not _is_folder(name, top):
        os.unlink(name, dir_fd=top)
        return
    os.chmod(name, 0o700, dir_fd=top)
    folder = os.open(name, FOLDER, dir_fd=top)
    try:
        for inner in os.listdir(folder):
            if time.monotonic() > deadline:
                raise TimeoutError
            if _is_folder(inner, folder):
                os.chmod(inner, 0o700, dir_fd=folder)
                os.rename(inner, secrets.token_hex(8), src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)


def _is_folder(name: str, parent: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
