"""packets: garbage for the sockets of a job whose places speak TCP: the job works on, and ends as it should.

Method: tests/programs/malformed_packets.py, with jobs that begin and end all the time. What a place does with packets
that UCX delivers to it is the campaign `replays`. Usage: packets.py [--seconds S] [--seed N] [--only N].
"""

import shutil
import signal
import sys
import time
from pathlib import Path

from campaign import Campaign, main

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))

from failures import OVER_TCP, Job, fail_one  # noqa: E402
from malformed_packets import ATTACKS, attack, listening  # noqa: E402

ROUNDS_OF_ONE = 10

campaign = Campaign("packets", __doc__.splitlines()[0])
campaign.jobs = 1


def attempt_one(attempt: int) -> None:
    draw = campaign.draw(attempt)
    waiting_places = str(campaign.build / "tests/waiting_places")
    way = draw.choice(("calls", "words", "barrier"))
    job = Job(shutil.which("mpirun") or "mpirun", [waiting_places, way], OVER_TCP)
    time.sleep(0.5)
    ports = sorted({where for pid in job.pids for where in listening(pid)})
    kept = []
    problem = "" if ports else "no port is open"
    for _ in range(ROUNDS_OF_ONE):
        for where in ports:
            kept += attack(where, draw)
            campaign.counted(ATTACKS)
        gone = [pid for pid in job.pids if not Path(f"/proc/{pid}").exists()]
        if gone:
            problem = f"places {gone} are gone: {job.text()[-1000:]}"
        if problem or not campaign.goes_on():
            break
    for connection in kept:
        connection.close()
    if problem:
        job.clear()
    else:
        problem = fail_one(job, 1, signal.SIGKILL, 1)
    if problem:
        campaign.failed(attempt, problem)


if __name__ == "__main__":
    main(campaign, attempt_one)
