/** Calls everything public of the library, in whatever process it runs: `npm run test:runners` does so in many. */
const password = 'correct horse battery staple';
const seed = { users: [{ userName: 'ann', userEmail: 'ann@example.com', password }] };

/** What is called of each instance, by its path. Operations of the client are called with nothing, and may be refused. */
const instanceCalls = {
  as: (iam) =>
    iam
      .as('ann')
      .groups.list()
      .then(fail, ({ code }) => code === 'ROLE_MISSING' || fail(code)),
  signIn: (iam) => iam.signIn('ann'),
  signInClient: (iam) => iam.signInClient(iam.credentials.adminClientId),
  'browser.login': (iam) => iam.browser.login({ context: () => ({ addCookies: async () => {} }) }, 'ann'),
  seed: (iam) => iam.seed({ groups: [{ groupName: 'seeded', roles: ['VIEW'] }] }),
  'tokens.issue': (iam) => iam.tokens.issue({ for: 'ann', claims: { aud: 'https://other.example' } }),
  'client.call': (iam) => iam.client.call('groups.list', {}),
  'client.items': async (iam) => {
    for await (const group of iam.client.items('groups.list', {})) return group;
  },
  'client.raw': (iam) => iam.client.raw('GET', '/readyz'),
  'client.events': async (iam) => {
    const controller = new AbortController();
    const events = iam.client.events('/_iam/events', { signal: controller.signal });
    const first = events.next();
    await iam.client.groups.list();
    await first;
    controller.abort();
    await events.return();
  },
  'inbox.list': (iam) => iam.inbox.list(),
  'inbox.waitFor': async (iam) => {
    await iam.client.userIdentities.update({
      params: { id: (await iam.signIn('ann')).userId },
      body: { userEmail: 'ann.lee@example.com' },
    });
    await iam.inbox.waitFor({ to: 'ann@example.com', timeout: 20_000 });
    await iam.inbox.waitFor({ to: 'nobody@example.com', timeout: 50 }).then(fail, () => undefined);
  },
  'inbox.clear': (iam) => iam.inbox.clear(),
  'requests.list': (iam) => iam.requests.list({ status: '2xx' }),
  'requests.get': (iam) => iam.requests.get('unknown'),
  'requests.waitFor': async (iam) => {
    const { items } = await iam.client.groups.list();
    const found = iam.requests.waitFor({ operation: 'groups.get', status: 200, timeout: 20_000 });
    await iam.client.groups.get({ params: { groupId: items[0].groupId } });
    await found;
    await iam.requests.waitFor({ operation: 'groups.delete', status: 500, timeout: 50 }).then(fail, () => undefined);
  },
  'clock.now': (iam) => iam.clock.now().toISOString(),
  'clock.freeze': (iam) => iam.clock.freeze(),
  'clock.unfreeze': (iam) => iam.clock.unfreeze(),
  'clock.set': (iam) => iam.clock.set(new Date('2030-01-31T12:00:00Z')),
  'clock.advance': (iam) => iam.clock.advance('10m'),
  'clock.toExpiry': async (iam) => iam.clock.toExpiry((await iam.signIn('ann')).accessToken, '-1s'),
  'clock.reset': (iam) => iam.clock.reset(),
  'faults.add': async (iam) => {
    iam.faults.add({ operation: 'groups.list', effect: { latency: '20ms' } });
    await iam.client.groups.list();
  },
  'faults.list': (iam) => iam.faults.list(),
  'faults.remove': (iam) => iam.faults.list().map(({ id }) => iam.faults.remove(id)),
  'faults.clear': (iam) => iam.faults.clear(),
  reset: (iam) => iam.reset(),
};

const serverCalls = {
  'sandboxes.create': async (iam) => {
    const sandbox = await iam.sandboxes.create('checkout', { seed });
    await callInstance(sandbox, { ...instanceCalls, delete: () => sandbox.delete() });
    await (await iam.sandboxes.create('disposed'))[disposal()]();
  },
  'sandboxes.list': (iam) => iam.sandboxes.list(),
  'sandboxes.delete': async (iam) => {
    await iam.sandboxes.create('deleted');
    iam.sandboxes.delete('deleted');
  },
  fork: async (iam) => {
    const fork = await iam.fork();
    await fork.client.groups.list();
    await fork[disposal()]();
  },
};

const libraryCalls = {
  asPage: (library) => library.asPage({ body: [], headers: {} }),
  basicAuthorization: (library) => library.basicAuthorization('id', 'secret'),
  createClient: () => undefined,
  startServer: () => undefined,
};

/** jest's contexts lack the symbol on Node 20. */
const disposal = () => Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

function fail(outcome) {
  throw new Error(`an unexpected outcome: ${outcome}`);
}

/** Lists the functions of an object and of the objects in it, also those that it inherits. */
function listFunctions(value, depth, prefix = '') {
  const found = new Set();
  for (let owner = value; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    for (const key of Object.keys(Object.getOwnPropertyDescriptors(owner))) {
      if (key === 'constructor') continue;
      const member = value[key];
      if (typeof member === 'function') found.add(prefix + key);
      else if (typeof member === 'object' && member !== null && depth > 0)
        for (const name of listFunctions(member, depth - 1, `${prefix}${key}.`)) found.add(name);
    }
  return [...found];
}

function assertSameNames(what, found, known) {
  const missing = found.filter((name) => !known.includes(name));
  const gone = known.filter((name) => !found.includes(name));
  if (missing.length > 0) throw new Error(`${what}: add to test/runners/calls.cjs: ${missing.join(', ')}`);
  if (gone.length > 0) throw new Error(`${what}: remove from test/runners/calls.cjs: ${gone.join(', ')}`);
}

const isOperation = (name) => /^client\.\w+\./.test(name);

async function callInstance(instance, calls) {
  const found = listFunctions(instance, 3);
  const ended = ['stop', 'client.close'];
  assertSameNames(
    'the instance',
    found.filter((name) => !isOperation(name) && !ended.includes(name)),
    Object.keys(calls),
  );
  for (const name of found.filter(isOperation)) {
    const path = name.split('.');
    const owner = path.slice(0, -1).reduce((value, key) => value[key], instance);
    await owner[path.at(-1)]({}).catch(() => undefined);
  }
  for (const [name, call] of Object.entries(calls))
    await Promise.resolve(call(instance)).catch((cause) => {
      throw new Error(`${name}: ${cause?.message ?? cause}`, { cause });
    });
}

/** @param onStarted fakes timers after the start, for example */
async function callEverything(library, onStarted = () => undefined) {
  const isClass = (value) => /^class\b/.test(Function.prototype.toString.call(value));
  const functions = Object.keys(library).filter((name) => typeof library[name] === 'function');
  assertSameNames(
    'the library',
    functions.filter((name) => !isClass(library[name])),
    Object.keys(libraryCalls),
  );
  for (const call of Object.values(libraryCalls)) call(library);
  const aborted = new AbortController();
  const iam = await library.startServer({ seed, settings: { 'fast-passwords': true }, signal: aborted.signal });
  await onStarted();
  // Of the process that runs the runner.
  if (Math.abs(iam.clock.now().getTime() - Number(process.env.IAM_REAL_TIME)) > 600_000)
    throw new Error('The clock of the server is not the real time.');
  await callInstance(iam, { ...instanceCalls, ...serverCalls });
  const { adminClientId: clientId, adminClientSecret: clientSecret } = iam.credentials;
  const client = library.createClient({ baseUrl: iam.baseUrl, credentials: { clientId, clientSecret } });
  await client.groups.list({ signal: aborted.signal });
  await client.close();
  await iam.client.close();
  const waiting = iam.inbox.waitFor({ to: 'nobody@example.com', timeout: 20_000 }).then(fail, () => undefined);
  aborted.abort();
  await Promise.all([iam.stop(), iam[disposal()](), waiting]);
}

module.exports = { callEverything };
