import datetime, random, uuid


def run(ctx):
    return {"winner": random.choice(["Ada", "Grace", "Edsger"]), "ticket": str(uuid.uuid4()), "drawn": datetime.datetime.now().isoformat()}
