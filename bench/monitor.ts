/**
 * Loaded into a measured server with --import: tells the run, when asked, what the process has used and how long its
 * event loop was blocked. The server itself knows nothing of it.
 */
import { openSync, readSync } from 'node:fs';
import type { FloorResponse, HashRequest, MonitorCommand, Usage } from './ipc-messages.ts';

const tickMs = 5;

/** Milliseconds for which the main thread was ready to run and others had its core; 0 where the system does not tell. */
function createWaitReader(): () => number {
  if (process.platform !== 'linux') return () => 0;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(128);
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  };
}

class EventLoopMonitor {
  readonly #readWait = createWaitReader();
  #lastAt = performance.now();
  #lastWait = this.#readWait();
  #watching = true;
  blockMs = 0;
  wallBlockMs = 0;

  tick(): void {
    const now = performance.now();
    const waited = this.#readWait();
    const late = Math.max(0, now - this.#lastAt - tickMs);
    if (this.#watching) {
      this.wallBlockMs = Math.max(this.wallBlockMs, late);
      this.blockMs = Math.max(this.blockMs, late - (waited - this.#lastWait));
    }
    this.#lastAt = now;
    this.#lastWait = waited;
  }

  reset(): void {
    this.blockMs = 0;
    this.wallBlockMs = 0;
  }

  /** Stops watching, or begins anew from this moment. */
  watch(on: boolean): void {
    this.tick();
    this.#watching = on;
  }
}

const watch = new EventLoopMonitor();
setInterval(() => watch.tick(), tickMs).unref();

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { blockMs, wallBlockMs } = watch;
  return { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss(), blockMs, wallBlockMs };
}

process.on('message', (order: MonitorCommand | HashRequest | FloorResponse) => {
  // What a floor is to do is no order to the monitor.
  if (typeof order === 'object') return;
  if (order === 'pause') watch.watch(false);
  else watch.tick();
  if (order === 'watch') watch.watch(true);
  process.send?.(usage());
  if (order === 'reset') watch.reset();
});
// A run that is gone needs no server.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
