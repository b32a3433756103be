"""tracked: the files that belong to the project: git's list, or the tree itself where there is no git."""

import subprocess
from pathlib import Path

NOT_OURS = {".git", "build", ".venv", "__pycache__"}


def tracked_files(root: Path) -> list[Path]:
    """Sorted paths relative to root, including untracked files, without ignored ones."""
    if (root / ".git").exists():
        # The tree may belong to another user, e.g. in a container.
        command = ["git", "-c", f"safe.directory={root}", "ls-files", "-z", "-co", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
        names = [Path(name) for name in listed.split("\0") if name]
    else:
        names = [file.relative_to(root) for file in root.rglob("*") if not NOT_OURS & set(file.relative_to(root).parts)]
    return sorted(name for name in names if (root / name).is_file() and not (root / name).is_symlink())
