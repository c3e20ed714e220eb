/** The floor of logins: verifies a password repeatedly with the hash library of the service. */
import { verify } from '@node-rs/argon2';
import type { HashRequest } from './ipc-messages.ts';
import type { LoadResult } from './load-driver.ts';

async function check({ password, passwordHash, concurrency, milliseconds }: HashRequest): Promise<LoadResult> {
  const startedAt = performance.now();
  let responses = 0;
  let perSecond = 0;
  const loop = async () => {
    while (perSecond === 0) {
      if (!(await verify(passwordHash, password))) throw new Error('the password does not match the hash');
      responses += 1;
      const elapsed = performance.now() - startedAt;
      // Verifications in flight at the end do not count for the rate; the driver does the same.
      if (elapsed >= milliseconds && perSecond === 0) perSecond = (responses * 1000) / elapsed;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { perSecond, responses };
}

process.on('message', (message: HashRequest | string) => {
  if (typeof message === 'object') void check(message).then((driven) => process.send?.(driven));
});
process.on('SIGTERM', () => process.exit(0));
// The open channel keeps the process running.
process.channel?.ref();
// There is no server; the URL only completes the ready line.
process.stdout.write(`${JSON.stringify({ ready: true, url: 'http://127.0.0.1:0' })}\n`);
