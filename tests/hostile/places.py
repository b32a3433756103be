"""places: places of jobs of processes are killed or stopped at random moments, whatever the others wait for.

Method: tests/programs/failures.py: the others must end in time, with exit code 1 and one message that names the place,
and leave no process and no file. Usage: places.py [--seconds S] [--seed N] [--only N].
"""

import shutil
import signal
import sys
import time
from pathlib import Path

from campaign import Campaign, main

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))

from failures import OVER_TCP, PLACES, WINDOWLESS, Job, fail_one, works  # noqa: E402

campaign = Campaign("places", __doc__.splitlines()[0])
#: Files in /dev/shm are compared, so one job at a time.
campaign.jobs = 1


def attempt_one(attempt: int) -> None:
    draw = campaign.draw(attempt)
    all_works = works(campaign.build / "libexec/tessera", campaign.build / "tests/waiting_places")
    name = draw.choice(sorted(all_works))
    settings = draw.choice(({}, {}, WINDOWLESS, WINDOWLESS, OVER_TCP))
    which = draw.randrange(PLACES)
    number = signal.SIGSTOP if draw.random() < 0.1 else signal.SIGKILL
    job = Job(shutil.which("mpirun") or "mpirun", all_works[name], settings)
    time.sleep(draw.random())
    if problem := fail_one(job, which, number, 1):
        campaign.failed(attempt, f"{name} {settings} place {which} {number.name}: {problem}")
    campaign.counted()


if __name__ == "__main__":
    main(campaign, attempt_one)
