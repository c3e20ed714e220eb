/** A burst of 1,000 logins: their responses, and the latency of other requests meanwhile. */
import { openConnections, type ResponseTiming, SteadySender, sendOn } from '../burst.ts';
import type { BenchEnvironment } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { groupIdOf, userIdOf } from '../names.ts';
import { bare, userLoginParts } from '../requests.ts';
import { percentile } from '../statistics.ts';

/** Each login is for a separate user, as logins per user are limited. */
const logins = 1_000;
const everyMs = 5;
/** Maximum number of other requests in flight: enough for a server that delays them by seconds. */
const others = 900;
const maxMs = 100;

export async function burstFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server, token } = await bench.server('people');
  await bench.suspendAll();
  await server.resume();
  const loginConnections = await openConnections(server.port, logins);
  const otherConnections = await openConnections(server.port, others);
  const get = bare({ method: 'GET', path: `/groups/${groupIdOf(1)}`, authorization: `Bearer ${token}` });
  // Warm-up, so that the code of the server is compiled.
  await sendSequentially(otherConnections, get);
  const steady = new SteadySender(otherConnections, get, everyMs);
  const loginTimings = await Promise.all(
    loginConnections.map((connection, at) => sendOn(connection, bare(userLoginParts(userIdOf('users', at))))),
  );
  const otherTimings = await steady.stop();
  for (const connection of [...loginConnections, ...otherConnections]) connection.close();
  return [...loginFigures(loginTimings), othersFigure(otherTimings)];
}

async function sendSequentially(connections: readonly Parameters<typeof sendOn>[0][], request: string): Promise<void> {
  for (const connection of connections) await sendOn(connection, request);
}

function loginFigures(loginTimings: readonly ResponseTiming[]): Figure[] {
  const loggedIn = loginTimings.filter(({ status }) => status === 201);
  const rejected = loginTimings.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) >= 1);
  return [
    {
      name: 'burst, unexpected responses',
      ours: `${loggedIn.length} x 201`,
      floor: `${rejected.length} x 503`,
      result: loginTimings.length - loggedIn.length - rejected.length,
      unit: 'responses',
      target: { atMost: 0 },
    },
    {
      name: 'burst, last login',
      ours: `${Math.max(...rejected.map(({ milliseconds }) => milliseconds)).toFixed(0)} ms to 503`,
      floor: `Retry-After ${[...new Set(rejected.map(({ retryAfter }) => retryAfter))].sort().join(', ')} s`,
      result: Math.max(...loggedIn.map(({ milliseconds }) => milliseconds)),
      unit: 'ms',
    },
  ];
}

function othersFigure(otherTimings: readonly ResponseTiming[]): Figure {
  const times = otherTimings.map(({ milliseconds }) => milliseconds);
  const wrong = otherTimings.find(({ status }) => status !== 200);
  if (wrong) throw new Error(`another request returned ${wrong.status}`);
  return {
    name: 'burst, others, p99',
    ours: `${percentile(times, 50).toFixed(1)} ms p50`,
    floor: `${Math.max(...times).toFixed(0)} ms max`,
    result: percentile(times, 99),
    unit: 'ms',
    target: { atMost: maxMs },
  };
}
