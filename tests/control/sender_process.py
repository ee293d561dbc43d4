"""What runs in the second process of the inbox tests: senders that know nothing of the course, only plain messages."""

import random
import time


def by_stages(channel, go, done, stages, pause):
    """Send the messages of each stage when told to, sleeping before every one."""
    for start, finished, messages in zip(go, done, stages, strict=True):
        start.wait()
        for message in messages:
            time.sleep(pause)
            channel.send(message)
        finished.set()


def chaotic(channel, observations, template, offset, seed):
    """Answer observed simulation times with lost, late, swapped, doubled, wrong and excessive messages, at any pace."""
    chance, sequence, kept = random.Random(seed), 0, []
    while (now := observations.recv()) is not None:
        messages = []
        for _ in range(chance.randrange(4)):
            sequence += 1
            value = chance.choice([chance.uniform(-1, 1)] * 8 + [chance.uniform(2, 9), float("nan")])
            stamp = now + offset + chance.choice([0.0] * 8 + [5.0, -5.0])
            messages.append(template | {"values": [value, -value], "sequence": sequence, "stamp": stamp})
        if chance.random() < 0.3:
            kept += messages  # late
            messages = []
        if chance.random() < 0.3:
            messages += [*kept, chance.choice(["rubbish", None, {"values": 1}])]
            kept = []
        if chance.random() < 0.3:
            chance.shuffle(messages)
        messages += [message for message in messages if chance.random() < 0.2]  # doubled
        for message in messages:
            if chance.random() < 0.8:  # otherwise lost
                time.sleep(chance.uniform(0, 2e-4))
                channel.send(message)
        observations.send(now)  # done with this one
    channel.close()


if __name__ == "sender":
    globals()[task](**arguments)  # noqa: F821  both are handed in by the test
