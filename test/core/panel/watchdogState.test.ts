import assert from "node:assert/strict";
import { WatchdogState, watchdogLimits } from "../../../src/core/panel/watchdogState.ts";

/** A page, its window and the clock, all controlled by the test. */
class World {
  now = 0;
  doesPageAnswer = true;
  doesWindowAnswer = true;
  asked = 0;
  readonly #waiting: (() => void)[] = [];
  readonly rebuiltAt: number[] = [];
  gaveUp = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();
  readonly health = new WatchdogState({
    now: () => this.now,
    schedule: (run, ms) => {
      const timer = { at: this.now + ms, run };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
    ask: () => {
      this.asked++;
      if (this.doesPageAnswer) queueMicrotask(() => this.health.noteMessage());
    },
    pingWindow: () =>
      new Promise((resolve) => {
        if (this.doesWindowAnswer) resolve(undefined);
        else this.#waiting.push(() => resolve(undefined));
      }),
    rebuild: () => void this.rebuiltAt.push(this.now),
    giveUp: () => void this.gaveUp++,
  });

  /** Advances the time in steps as small as a timer's resolution. */
  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end;) {
      this.now += 50;
      await this.#fire();
    }
  }

  /** The window has finished the work that kept it busy, and handles what has arrived in order. */
  freeWindow(): void {
    this.doesWindowAnswer = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The machine sleeps, or the extension host is busy: time passes but no timers fire. */
  async sleep(ms: number): Promise<void> {
    this.now += ms;
    await this.#fire();
  }

  async #fire(): Promise<void> {
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.now)) {
      this.#timers.delete(timer);
      timer.run();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("WatchdogState", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.health.start();
  });

  it("leaves a responding page alone", async () => {
    await world.pass(60_000);
    assert.ok(world.asked > 10);
    assert.deepEqual(world.rebuiltAt, []);
  });

  it("rebuilds a page within five seconds if it stops responding", async () => {
    await world.pass(1_000);
    world.doesPageAnswer = false;
    await world.pass(5_000);
    assert.equal(world.rebuiltAt.length, 1);
  });

  it("doesn't consider a page dead while the VS Code window hangs", async () => {
    await world.pass(1_000);
    world.doesPageAnswer = false;
    world.doesWindowAnswer = false;
    await world.pass(60_000);
    assert.deepEqual(world.rebuiltAt, []);
  });

  for (const hiddenAfter of [300, 1_400, 1_500, 2_900, 3_000, 3_050]) {
    it(`doesn't rebuild a page that the window hides after being busy, when it was silent for ${hiddenAfter} ms`, async () => {
      await world.pass(1_000);
      world.doesPageAnswer = false;
      await world.pass(hiddenAfter);
      world.doesWindowAnswer = false;
      await world.pass(2_000);
      // VS Code reports the hidden page before it responds to what was asked later.
      world.health.stop();
      world.freeWindow();
      await world.pass(60_000);
      assert.deepEqual(world.rebuiltAt, []);
    });

    it(`asks again after the window was busy, when the page was silent for ${hiddenAfter} ms`, async () => {
      await world.pass(1_000);
      world.doesPageAnswer = false;
      await world.pass(hiddenAfter);
      world.doesWindowAnswer = false;
      await world.pass(2_000);
      world.doesPageAnswer = true;
      world.freeWindow();
      await world.pass(60_000);
      assert.deepEqual(world.rebuiltAt, []);
    });
  }

  it("doesn't consider a page dead because the machine slept", async () => {
    await world.pass(1_000);
    world.doesPageAnswer = false;
    await world.pass(2_900);
    await world.sleep(3_600_000);
    world.doesPageAnswer = true;
    await world.pass(5_000);
    assert.deepEqual(world.rebuiltAt, []);
  });

  it("gives a page time while it is being built", async () => {
    world = new World();
    world.doesPageAnswer = false;
    world.health.start();
    await world.pass(5_000);
    assert.deepEqual(world.rebuiltAt, []);
    await world.pass(3_000);
    assert.equal(world.rebuiltAt.length, 1);
  });

  it("doesn't watch a hidden page", async () => {
    await world.pass(1_000);
    world.health.stop();
    world.doesPageAnswer = false;
    await world.pass(60_000);
    assert.deepEqual(world.rebuiltAt, []);
  });

  it("gives up after several rebuilds, until the page is shown again", async () => {
    world.doesPageAnswer = false;
    await world.pass(120_000);
    assert.equal(world.rebuiltAt.length, watchdogLimits.rebuilds);
    assert.equal(world.gaveUp, 1);
    world.health.start();
    await world.pass(120_000);
    assert.equal(world.rebuiltAt.length, 2 * watchdogLimits.rebuilds);
  });
});
