/** The server with a seeded bug. `node server.js BUG '{"store":"postgres"}'` */
import { serve } from '../../../src/server/main.ts';
import { seedDriverBug } from './driver-bugs.ts';

const [, , seededBug = '', flags = '{}'] = process.argv;
seedDriverBug(seededBug);
const { stdout, stderr, env: environment } = process;
process.exitCode = await serve({ flags: JSON.parse(flags), environment, io: { stdout, stderr } });
