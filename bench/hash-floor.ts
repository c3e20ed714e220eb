/** The floor of logins: checks a password over and over and does nothing else, as fast as the library of the service can. */
import { verify } from '@node-rs/argon2';
import type { HashRequest } from './ipc-messages.ts';
import type { LoadResult } from './load-driver.ts';

async function check({ password, passwordHash, atOnce, milliseconds }: HashRequest): Promise<LoadResult> {
  const startedAt = performance.now();
  let answers = 0;
  let perSecond = 0;
  const loop = async () => {
    while (perSecond === 0) {
      if (!(await verify(passwordHash, password))) throw new Error('the hash is of another password');
      answers += 1;
      const took = performance.now() - startedAt;
      // What was under way then is no more counted in the rate, as it is not by the driver.
      if (took >= milliseconds && perSecond === 0) perSecond = (answers * 1000) / took;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return { perSecond, answers };
}

process.on('message', (order: HashRequest | string) => {
  if (typeof order === 'object') void check(order).then((driven) => process.send?.(driven));
});
process.on('SIGTERM', () => process.exit(0));
// No server keeps it alive: the wish for more orders does.
process.channel?.ref();
// It is no server: there is nobody at this address.
process.stdout.write(`${JSON.stringify({ ready: true, url: 'http://127.0.0.1:0' })}\n`);
