/**
 * Writes the actual output of commands into README.md, between `<!-- transcript NAME -->` and `<!-- end -->`: starts a
 * server and runs the built CLI. Ids, codes and times are replaced by fixed values. Needs dist/ (npm run build).
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { root } from './root.mjs';

export const readme = path.join(root, 'README.md');

/** The commands of each transcript; later transcripts depend on earlier ones. */
const scripts = {
  group: [
    './bin/iam.js groups create --group-name ops --role VIEW',
    './bin/iam.js groups update ops --add-role DEPLOY',
    './bin/iam.js groups get ops',
  ],
  can: [
    './bin/iam.js groups create --group-name leads --role APPROVE --dependency ops -q',
    './bin/iam.js groups users add leads alice',
    './bin/iam.js can alice DEPLOY',
    './bin/iam.js can alice REFUND; echo "exit code $?"',
  ],
  plan: ['./bin/iam.js plan -f examples/team.yaml'],
  mfa: [
    './bin/iam.js login --user alice --client-id web --password-stdin --mfa < password.txt',
    './bin/iam.js inbox code alice@example.com',
    './bin/iam.js inbox code alice@example.com | ./bin/iam.js login --code-stdin',
  ],
};

const client = { clientId: 'transcripts', clientSecret: 'of-a-server-that-lives-for-seconds' };
const password = 'a-password-of-the-transcripts';

const seed = {
  users: [{ userId: 'alice', userName: 'alice', password, userEmail: 'alice@example.com' }],
  clients: [{ clientId: 'web', appId: 'web', party: '1STPARTY', grantTypes: ['password', 'refresh_token'] }],
};

/** Returns README.md with the current output of the commands. */
export async function renderReadme() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-transcripts-'));
  try {
    return await withServer(folder, (variables) => {
      const transcripts = Object.values(scripts).map((commands) => transcript(commands, variables));
      // Normalized together, so that an id gets the same replacement in all transcripts.
      const blocks = normalizeOutput(transcripts.join('\0')).split('\0');
      const names = Object.keys(scripts);
      return names.reduce((text, name, at) => filled(text, name, blocks[at]), readFileSync(readme, 'utf8'));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withServer(folder, work) {
  writeFileSync(path.join(folder, 'seed.json'), JSON.stringify(seed));
  writeFileSync(path.join(folder, 'password.txt'), `${password}\n`);
  const variables = variablesFor(folder);
  const args = ['serve', '--json', '--port', '0', '--store', 'memory', '--fast-passwords'];
  const server = spawn(process.execPath, [path.join(root, 'bin/iam.js'), ...args, '--seed', `${folder}/seed.json`], {
    env: { ...variables, IAM_ADMIN_CLIENT_ID: client.clientId, IAM_ADMIN_CLIENT_SECRET: client.clientSecret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
    const { url: baseUrl } = JSON.parse(line);
    const config = { current: 'local', profiles: { local: { baseUrl, ...client } } };
    mkdirSync(path.join(folder, 'iam'), { recursive: true });
    writeFileSync(path.join(folder, 'iam/config.json'), JSON.stringify(config), { mode: 0o600 });
    return await work({ ...variables, PASSWORD_FILE: path.join(folder, 'password.txt') });
  } finally {
    server.kill();
    await ended;
  }
}

/** Isolates the commands from the environment of the user: profiles, caches and colors. */
function variablesFor(folder) {
  const { PATH } = process.env;
  return { PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, NO_COLOR: '1' };
}

function transcript(commands, { PASSWORD_FILE, ...env }) {
  const outputs = commands.map((command) => {
    const typed = command.replace('password.txt', `'${PASSWORD_FILE}'`);
    const { stdout } = spawnSync('bash', ['-c', `exec 2>&1; ${typed}`], { cwd: root, env, encoding: 'utf8' });
    return `$ ${command}\n${stdout}`;
  });
  return outputs.join('');
}

function normalizeOutput(text) {
  const ids = [...new Set(text.match(/\b[0-9a-f]{24}\b/g))];
  const named = ids.reduce((so, id, at) => so.replaceAll(id, `64b0c0ffee${String(at + 1).padStart(14, '0')}`), text);
  return named
    .replace(/^\d{6}$/gm, '493817')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-31T12:00:00.000Z')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080');
}

function filled(text, name, block) {
  const [before, rest] = text.split(`<!-- transcript ${name} -->`);
  if (rest === undefined) throw new Error(`README.md has no marker for the transcript ${name}`);
  const after = rest.slice(rest.indexOf('<!-- end -->'));
  return `${before}<!-- transcript ${name} -->\n\n\`\`\`console\n${block.trimEnd()}\n\`\`\`\n\n${after}`;
}
