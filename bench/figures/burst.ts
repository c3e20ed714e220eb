/** A thousand logins at once: what they are answered, and how long other calls take meanwhile. */
import { openConnections, type ResponseTiming, SteadySender, sendOn } from '../burst.ts';
import type { BenchEnvironment } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { groupIdOf, userIdOf } from '../names.ts';
import { bare, userLoginParts } from '../requests.ts';
import { percentile } from '../statistics.ts';

/** Each of another user: of one user, only a few are looked at at once. */
const logins = 1_000;
const everyMs = 5;
/** As many of them may be under way: a server that makes them wait for seconds is a figure too. */
const others = 900;
const longestMs = 100;

export async function burstFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server, token } = await bench.server('people');
  await bench.suspendAll();
  await server.resume();
  const crowd = await openConnections(server.port, logins);
  const bystanders = await openConnections(server.port, others);
  const get = bare({ method: 'GET', path: `/groups/${groupIdOf(1)}`, authorization: `Bearer ${token}` });
  // A server whose code is not compiled yet would be another one.
  await sendSequentially(bystanders, get);
  const steady = new SteadySender(bystanders, get, everyMs);
  const answers = await Promise.all(
    crowd.map((connection, at) => sendOn(connection, bare(userLoginParts(userIdOf('users', at))))),
  );
  const calls = await steady.stop();
  for (const connection of [...crowd, ...bystanders]) connection.close();
  return [...answersFigures(answers), othersFigure(calls)];
}

async function sendSequentially(connections: readonly Parameters<typeof sendOn>[0][], request: string): Promise<void> {
  for (const connection of connections) await sendOn(connection, request);
}

function answersFigures(answers: readonly ResponseTiming[]): Figure[] {
  const loggedIn = answers.filter(({ status }) => status === 201);
  const rejected = answers.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) >= 1);
  return [
    {
      name: 'burst, answers of other kinds',
      ours: `${loggedIn.length} x 201`,
      floor: `${rejected.length} x 503`,
      result: answers.length - loggedIn.length - rejected.length,
      unit: 'answers',
      target: { atMost: 0 },
    },
    {
      name: 'burst, last login',
      ours: `${Math.max(...rejected.map(({ milliseconds }) => milliseconds)).toFixed(0)} ms to 503`,
      floor: `told ${[...new Set(rejected.map(({ retryAfter }) => retryAfter))].sort().join(', ')} s`,
      result: Math.max(...loggedIn.map(({ milliseconds }) => milliseconds)),
      unit: 'ms',
    },
  ];
}

function othersFigure(calls: readonly ResponseTiming[]): Figure {
  const times = calls.map(({ milliseconds }) => milliseconds);
  const wrong = calls.find(({ status }) => status !== 200);
  if (wrong) throw new Error(`another call was answered ${wrong.status}`);
  return {
    name: 'burst, others, p99',
    ours: `${percentile(times, 50).toFixed(1)} ms p50`,
    floor: `${Math.max(...times).toFixed(0)} ms max`,
    result: percentile(times, 99),
    unit: 'ms',
    target: { atMost: longestMs },
  };
}
