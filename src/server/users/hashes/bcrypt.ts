/**
 * bcrypt (https://www.usenix.org/legacy/events/usenix99/provos/provos.pdf) by the package bcryptjs, in a thread of its own:
 * it is written in JavaScript, and would stop all other requests meanwhile.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HashKind } from './kind.ts';
import { findRangeProblem } from './phc.ts';

/** `$2x$` marks hashes of an implementation with a bug. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const costs = { min: 4, max: 14 };

/** The algorithm ignores further bytes, and some implementations end a password at NUL. */
const maxPasswordBytes = 72;

/** CommonJS, as a worker runs it from a text. */
const workerSource = `
const { parentPort, workerData } = require('node:worker_threads');
const { compareSync } = require(workerData.module);
parentPort.postMessage(compareSync(workerData.password, workerData.hash));
`;

/** Resolved when it is needed: most servers have no hash of this kind. */
function findModule(): string {
  return createRequire(path.join(import.meta.dirname, 'bcrypt.cjs')).resolve('bcryptjs');
}

function compareInWorker(password: string, hash: string): Promise<boolean> {
  const workerData = { module: findModule(), password, hash };
  return new Promise((resolve, reject) => {
    // Without the environment and the options of this process, which can load other code.
    const worker = new Worker(workerSource, { eval: true, workerData, env: {}, execArgv: [] });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread that compares a bcrypt hash ended with ${code}`)));
  });
}

export const bcryptKind: HashKind = {
  name: 'bcrypt',
  has: (hash) => /^\$2.?\$/.test(hash),
  findProblem(hash) {
    const [, cost] = form.exec(hash) ?? [];
    if (cost === undefined) return 'must be $2a$, $2b$ or $2y$, two digits, $ and 53 characters (bcrypt)';
    return findRangeProblem('bcrypt', 'as cost', Number(cost), costs);
  },
  async verify(hash, password) {
    if (bcryptKind.findProblem(hash) !== undefined) return false;
    const isComparable = Buffer.byteLength(password) <= maxPasswordBytes && !password.includes('\0');
    const isMatch = await compareInWorker(isComparable ? password : '', hash);
    return isMatch && isComparable;
  },
};
