/** The API of a running in-process server. */
import { type AdjustableClock, copyClockState } from '../server/lib/adjustable-clock.ts';
import type { RunningServer } from '../server/listen.ts';
import type { ForkableStore } from '../server/store/memory/memory-store.ts';
import { captureBaseline } from './baseline.ts';
import { createInstance, type IamInstance } from './instance.ts';
import { createIamSandboxes, type IamSandboxes } from './sandboxes.ts';
import type { ServerCredentials } from './server-credentials.ts';

export interface IamServer extends IamInstance {
  /** Isolated services below this server, for parallel tests. */
  readonly sandboxes: IamSandboxes;
  /** Starts another server in this process, on a separate port, with the current state and time of this one. */
  fork(): Promise<IamServer>;
  /** Closes the connections of all clients, stops the forks, and releases port and store. */
  stop(): Promise<void>;
}

export interface IamServerDeps {
  readonly service: RunningServer;
  readonly credentials: ServerCredentials;
  /** Starts a server with the same options on a store. */
  startFork(fork: ForkRequest): Promise<IamServer>;
  onStop?: (() => void) | undefined;
}

export interface ForkRequest {
  readonly store: ForkableStore;
  prepareClock(clock: AdjustableClock): void;
  /** Called when the fork has stopped. */
  onStop(): void;
}

/** Wraps a running service. */
export async function createIamServer(deps: IamServerDeps): Promise<IamServer> {
  const { service, credentials, onStop } = deps;
  const getContext = () => service.appContext;
  const baseline = await captureBaseline(service);
  const { instance, close } = createInstance({
    getContext,
    url: service.listenUrl,
    publicUrl: service.url,
    credentials,
    async reset() {
      await baseline.reset();
      getContext().clock.resetToStart();
      getContext().ids.sequence?.resetToStart();
    },
  });
  const sandboxes = createIamSandboxes({ getContext, url: service.listenUrl, credentials });
  const forks = new Set<IamServer>();
  let stopped: Promise<void> | undefined;
  // In parallel: closing a client waits for its requests, and stopping the service ends pending waits.
  async function stopAll(): Promise<void> {
    await Promise.all([service.stop(), close(), sandboxes.close(), ...[...forks].map((fork) => fork.stop())]);
    onStop?.();
  }
  const stop = () => {
    stopped ??= stopAll();
    return stopped;
  };
  return {
    ...instance,
    sandboxes: sandboxes.sandboxes,
    async fork() {
      const fork: IamServer = await deps.startFork({
        store: await baseline.fork(),
        prepareClock: copyClockState(getContext().clock),
        onStop: () => forks.delete(fork),
      });
      forks.add(fork);
      if (!stopped) return fork;
      await fork.stop();
      throw new Error('The server was stopped while it was forked.');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
