import { Writable } from 'node:stream';

/** Standard output that fails: ENOSPC of a full disk, EPIPE of a reader that is gone. */
export function createFailingStream(code: 'ENOSPC' | 'EPIPE'): Writable {
  const fail = () => Object.assign(new Error(`${code}: write`), { code, syscall: 'write' });
  return new Writable({ write: (_chunk, _encoding, done) => done(fail()) }).on('error', () => undefined);
}
