# want: same
import random, uuid
def run(ctx):
    return [random.random(), random.randint(0, 10**9), random.choices("abc", k=3), random.gauss(0, 1), str(uuid.uuid4()), str(uuid.uuid1()), random.Random().random(), random.SystemRandom().random(),
            hash("abc"), list({"a", "b", "c", "d"}), id(object())]
