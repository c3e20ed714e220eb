/** The sandboxes of an in-process server. */
import type { AppContext } from '../server/app-context.ts';
import { SettingError } from '../server/config/settings.ts';
import { resetState } from '../server/control/reset-state.ts';
import { SandboxName } from '../server/control/routes/sandboxes/sandbox-schemas.ts';
import { validateBody } from '../server/http/request-validation.ts';
import type { SandboxView } from '../server/sandboxes/sandboxes.ts';
import { withSeedPlaces } from '../server/seed/read-file.ts';
import { assertKnownKeys } from './assert-known-keys.ts';
import { createInstance, type IamInstance } from './instance.ts';
import type { SeedInput } from './library-types.ts';
import { requireControlPlane } from './requests.ts';
import { fileOf, readSeedInput } from './seed-input.ts';
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
  /** Uses an existing sandbox of this name as it is. */
  readonly reuse?: boolean | undefined;
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
   * Creates a sandbox: an isolated service at /s/NAME of this server, with the seed of the server or its own.
   * @throws SeedError with each problem of the seed; IamError if the name is not valid, or SANDBOX_EXISTS.
   */
  create(name: string, options?: SandboxOptions): Promise<IamSandbox>;
  /** Returns the sandboxes, ordered by name. */
  list(): SandboxRecord[];
  /** Deletes a sandbox and its data. @throws Error if there is no sandbox with this name. */
  delete(name: string): void;
}

const optionNames: Readonly<Record<keyof SandboxOptions, true>> = { seed: true, reuse: true };

interface SandboxesDeps {
  getContext(): AppContext;
  /** The address of the server. */
  readonly url: string;
  readonly credentials: ServerCredentials;
}

interface SandboxesParts {
  readonly sandboxes: IamSandboxes;
  /** Closes the connections of all clients of sandboxes. */
  close(): Promise<void>;
}

/** Creates the sandboxes of the current app context. A server without control plane has none. */
export function createIamSandboxes({ getContext, url, credentials }: SandboxesDeps): SandboxesParts {
  const closers = new Set<() => Promise<void>>();
  const control = () => {
    requireControlPlane(getContext().observability, 'A sandbox');
    return getContext().sandboxes;
  };

  async function open(name: string, { seed, reuse = false }: SandboxOptions) {
    if (reuse) return { appContext: await control().open(name, true), bootstrapped: {} };
    return control().create(name, seed === undefined ? undefined : await readSeedInput(seed));
  }

  async function create(name: string, options: SandboxOptions = {}): Promise<IamSandbox> {
    assertKnownKeys('sandboxes.create', options, optionNames);
    if (options.reuse === true && options.seed !== undefined)
      throw new SettingError('sandboxes.create: reuse and seed exclude each other');
    validateBody(SandboxName, name);
    const { appContext: context, bootstrapped } = await withSeedPlaces(fileOf(options.seed), () => open(name, options));
    const { instance, close } = createInstance({
      getContext: () => context,
      url: `${url}/s/${name}`,
      publicUrl: context.baseUrl,
      // With a seed of its own, a sandbox also has credentials of its own.
      credentials: { ...credentials, ...bootstrapped },
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
    sandboxes: {
      create,
      list: () =>
        control()
          .list()
          .map((view) => toRecord(view, url)),
      delete: (name) => control().delete(name),
    },
    async close() {
      await Promise.all([...closers].map((close) => close()));
    },
  };
}

function toRecord({ name, createdAt, expiresAt }: SandboxView, url: string): SandboxRecord {
  return { name, url: `${url}/s/${name}`, createdAt, expiresAt };
}
