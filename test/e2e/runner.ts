/**
 * The runner of scenarios that any form of the command can show: in the process of the test, from the sources, unless
 * IAM_TEST_COMMAND names a built command. What only a process shows uses `Sandbox` directly.
 */
import process from 'node:process';
import { processEnvironment } from '../../src/cli/io/process.ts';
import { readSecretFile } from '../../src/lib/text-file.ts';
import { withSecretFiles } from '../../src/server/config/settings.ts';
import { systemClock } from '../../src/server/lib/clock.ts';
import { readConfiguration } from '../../src/server/seed/configuration.ts';
import { Home } from '../cli/run-cli.ts';
import { startServer, type TestServer } from '../harness.ts';
import { adminVariables, inMemory, type ProcessResult, Sandbox, signIn, type Variables } from './cli-process.ts';

export interface Served {
  readonly url: string;
  /** Environment of a command that is signed in as its administrator. */
  readonly variables: Variables;
}

export interface Runner extends Pick<Sandbox, 'folder' | 'file' | 'start' | 'iam'>, AsyncDisposable {
  /** Starts a server with the words of `iam serve`. */
  serve(words?: readonly string[], more?: Variables): Promise<Served>;
}

export const isInProcess = process.env.IAM_TEST_COMMAND === undefined;

export const makeRunner = (): Promise<Runner> => (isInProcess ? InProcess.make() : Sandbox.make());

/** Runs a command in the folder of a sandbox, in this process if the tests name no built command. */
export function runCommand(
  sandbox: Sandbox,
  words: readonly string[],
  variables: Variables = {},
  stdin = '',
): Promise<ProcessResult> {
  if (!isInProcess) return sandbox.iam(words, variables, stdin);
  const { folder } = sandbox;
  const { now, pause } = processEnvironment();
  return new Home(folder).iam(words, { variables, stdin, folder, now, pause });
}

class InProcess implements Runner {
  readonly #sandbox: Sandbox;
  readonly #servers: TestServer[] = [];

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  static async make(): Promise<InProcess> {
    return new InProcess(await Sandbox.make());
  }

  get folder(): string {
    return this.#sandbox.folder;
  }

  file(name: string): string {
    return this.#sandbox.file(name);
  }

  start(...call: Parameters<Sandbox['start']>): ReturnType<Sandbox['start']> {
    return this.#sandbox.start(...call);
  }

  iam(words: readonly string[], variables: Variables = {}, stdin = ''): Promise<ProcessResult> {
    return runCommand(this.#sandbox, words, variables, stdin);
  }

  async serve(words: readonly string[] = inMemory, more: Variables = {}): Promise<Served> {
    const flags = readFlags(words);
    const variables = { ...adminVariables, ...more };
    const { seed } = await readConfiguration(flags, variables);
    const server = await startServer({
      flags,
      environment: withSecretFiles(variables, readSecretFile),
      ...(seed === undefined ? {} : { seed }),
      // Signed in as a third party is, whose clock is that of the system.
      clock: { now: () => systemClock.now(), advance: () => undefined },
    });
    this.#servers.push(server);
    return { url: server.url, variables: signIn(server.url) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
    await this.#sandbox[Symbol.asyncDispose]();
  }
}

/** @param words pairs of a flag and its value */
function readFlags(words: readonly string[]): Record<string, string> {
  const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word.replace(/^--/, ''), words[at + 1] ?? '']] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}
