"""Trains nothing, but takes four minutes, prints what a training prints, saves checkpoints, and has a page on port 6006."""
import math
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STEPS = 4000
losses = []


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        points = " ".join(f"{x * 4},{200 - loss * 60:.0f}" for x, loss in enumerate(losses))
        text = (
            f"<title>Loss</title><meta http-equiv=refresh content=2><h1>Loss: {losses[-1] if losses else 0:.3f}</h1>"
            f"<svg width=800 height=220><polyline points='{points}' fill=none stroke=currentColor /></svg>"
        )
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def serve():
    for port in (6006, 0):
        try:
            ThreadingHTTPServer(("127.0.0.1", port), Page).serve_forever()
        except OSError:
            continue


threading.Thread(target=serve, daemon=True).start()
os.makedirs("checkpoints", exist_ok=True)
print("Loading the data set: 8.2 GB", flush=True)
for step in range(20, STEPS + 1, 20):
    time.sleep(1.2)
    losses.append(0.4 + 2.4 * math.exp(-step / 900) + 0.05 * math.sin(step))
    print(f"step {step:,}/{STEPS:,} · loss {losses[-1]:.3f} · 51,200 tokens/s", flush=True)
    if step % 1000 == 0:
        with open(f"checkpoints/step-{step}.txt", "w") as file:
            file.write(f"loss {losses[-1]:.3f}\n")
        print(f"Saved checkpoints/step-{step}.txt", flush=True)
