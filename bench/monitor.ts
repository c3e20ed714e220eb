/**
 * Loaded into a measured server with --import: reports the CPU time of the process and the blocks of its event loop on
 * request. The server itself is unchanged.
 */
import { openSync, readSync } from 'node:fs';
import type { FloorResponse, MonitorCommand, Usage } from './ipc-messages.ts';

const tickMs = 5;

/** Returns a reader of the milliseconds that the runnable main thread waited for a core; 0 except on Linux. */
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
  blockMs = 0;
  wallBlockMs = 0;

  tick(): void {
    const now = performance.now();
    const waited = this.#readWait();
    const delay = Math.max(0, now - this.#lastAt - tickMs);
    this.wallBlockMs = Math.max(this.wallBlockMs, delay);
    this.blockMs = Math.max(this.blockMs, delay - (waited - this.#lastWait));
    this.#lastAt = now;
    this.#lastWait = waited;
  }

  reset(): void {
    this.blockMs = 0;
    this.wallBlockMs = 0;
  }
}

const watch = new EventLoopMonitor();
setInterval(() => watch.tick(), tickMs).unref();

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { blockMs, wallBlockMs } = watch;
  return { cpuMs: (user + system) / 1000, blockMs, wallBlockMs };
}

process.on('message', (command: MonitorCommand | FloorResponse) => {
  // An object is the response of a floor.
  if (typeof command === 'object') return;
  watch.tick();
  process.send?.(usage());
  if (command === 'reset') watch.reset();
});
// The server ends with the benchmark.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
