/** Starts the measured services, each as a process on the core that the load does not use. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const folder = path.dirname(fileURLToPath(import.meta.url));
const iam = path.join(folder, '../../bin/iam.js');
const [loadCore, serverCore] = ['0', '1'];

/** The words that run Node on a core. */
export const onLoadCore = (args) => ['taskset', ['-c', loadCore, process.execPath, ...args]];
const onServerCore = (args) => ['taskset', ['-c', serverCore, process.execPath, ...args]];

export class Service {
  #child;

  constructor(name, child, line) {
    this.name = name;
    this.#child = child;
    this.line = line;
    this.url = line.url;
  }

  /** Starts a program that prints a line of JSON with its URL. */
  static async start(name, args, environment = {}) {
    const [command, words] = onServerCore(args);
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...environment };
    const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = await Promise.race([
      once(createInterface(child.stdout), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start`))),
    ]);
    return new Service(name, child, JSON.parse(line));
  }

  static iam(data, secret) {
    const words = [iam, 'serve', '--json', '--port', '0', '--data', data, '--log-level', 'silent'];
    return Service.start('iam', words, { IAM_ADMIN_CLIENT_ID: 'bench', IAM_ADMIN_CLIENT_SECRET: secret });
  }

  static other(name, ...args) {
    return Service.start(name, [`${name}.mjs`, ...args]);
  }

  static floor(response) {
    return Service.start('floor', ['floor.mjs'], { RESPONSE: JSON.stringify(response) });
  }

  /** Milliseconds of processor time so far, in steps of ten. */
  get cpuMs() {
    // Fields 14 and 15 of proc(5): utime and stime, in hundredths of a second.
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1').replace(/^.*\) /s, '');
    const [user, system] = stat.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}
