/** The sandboxes of an in-process server. */
import type { AppContext } from '../server/app-context.ts';
import { resetState } from '../server/control/reset-state.ts';
import { SandboxName } from '../server/control/routes/sandboxes/sandbox-schemas.ts';
import { validateBody } from '../server/http/request-validation.ts';
import type { SandboxView } from '../server/sandboxes/sandboxes.ts';
import type { SeedDocument } from '../server/seed/schema.ts';
import { createInstance, type IamInstance } from './instance.ts';
import type { SeedInput } from './library-types.ts';
import { requireControlPlane } from './requests.ts';
import { readSeedInput } from './seed-input.ts';
import type { ServerCredentials } from './server-credentials.ts';

/** A sandbox, used like a server. `await using` deletes it. */
export interface IamSandbox extends IamInstance {
  readonly name: string;
  /** Deletes the sandbox and its data, and closes the connections of its clients. */
  delete(): Promise<void>;
}

export interface SandboxOptions {
  /**
   * A seed document, or the path of a seed file, instead of the seed of the server. The name must then be unused, and the
   * sandbox has `credentials` of its own.
   */
  readonly seed?: string | SeedInput | undefined;
}

export interface SandboxRecord {
  readonly name: string;
  /** Its address, such as http://127.0.0.1:40123/s/checkout. */
  readonly url: string;
  readonly createdAt: string;
  /** When it is deleted, unless it receives a request. */
  readonly expiresAt: string;
}

export interface IamSandboxes {
  /**
   * Creates a sandbox: an isolated service at /s/NAME of this server, with the seed of the server or its own. Without a
   * seed, returns an existing sandbox as it is.
   * @throws SeedError with each problem of the seed; Error if the name is not valid, or taken and there is a seed.
   */
  create(name: string, options?: SandboxOptions): Promise<IamSandbox>;
  /** Returns the sandboxes, ordered by name. */
  list(): SandboxRecord[];
  /** Deletes a sandbox and its data. @throws Error if there is no sandbox with this name. */
  delete(name: string): void;
}

interface SandboxesDeps {
  getContext(): AppContext;
  readonly credentials: ServerCredentials;
}

interface SandboxesParts {
  readonly sandboxes: IamSandboxes;
  /** Closes the connections of all clients of sandboxes. */
  close(): Promise<void>;
}

/** Creates the sandboxes of the current app context. A server without control plane has none. */
export function createIamSandboxes({ getContext, credentials }: SandboxesDeps): SandboxesParts {
  const closers = new Set<() => Promise<void>>();
  const control = () => {
    requireControlPlane(getContext().observability, 'A sandbox');
    return getContext().sandboxes;
  };

  const openShared = async (name: string) => ({ context: await control().open(name, true), credentials });

  /** With a seed of its own, a sandbox also has credentials of its own. */
  async function createSeeded(name: string, seed: SeedDocument) {
    const { appContext, bootstrapped } = await control().create(name, seed);
    return { context: appContext, credentials: { ...credentials, ...bootstrapped } };
  }

  async function create(name: string, { seed }: SandboxOptions = {}): Promise<IamSandbox> {
    validateBody(SandboxName, name);
    const document = seed === undefined ? undefined : await readSeedInput(seed);
    const { context, ...own } = await (document ? createSeeded(name, document) : openShared(name));
    const { instance, close } = createInstance({
      getContext: () => context,
      url: context.baseUrl,
      credentials: own.credentials,
      reset: () => resetState(context, 'seed'),
    });
    closers.add(close);
    const end = async () => {
      // Another sandbox may have the name by now.
      if ((await control().find(name, false)) === context) control().delete(name);
      closers.delete(close);
      await close();
    };
    return { ...instance, name, delete: end, [Symbol.asyncDispose]: end };
  }

  return {
    sandboxes: { create, list: () => control().list().map(toRecord), delete: (name) => control().delete(name) },
    async close() {
      await Promise.all([...closers].map((close) => close()));
    },
  };
}

function toRecord({ baseUrl, ...view }: SandboxView): SandboxRecord {
  return { ...view, url: baseUrl };
}
