/** Completion in real shells. Shells that are not installed are skipped; bash is always tested. */
import { execFileSync } from 'node:child_process';
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startFakeServer, tokenResponse } from '../client/fake-server.ts';
import { type ProcessResult, Sandbox } from './cli-process.ts';
import { type ShellCommand, startShellCommand } from './shell-command.ts';

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Names with shell metacharacters; each would create a file if it were executed. */
const harmful = (file: string) => [
  `$(touch ${file})`,
  `\`touch ${file}\``,
  `a;touch ${file}`,
  `b|touch ${file}`,
  `c&touch ${file}`,
  '*',
  '{x,y}',
  '~root',
  '$HOME',
  "it's",
  'say "hi"',
  'my group',
  'ops:prod',
  'a=b',
  'back\\slash',
  '#c',
  'b!ang',
  '%F{red}x',
  '[z]',
  '=ls',
  'q?',
  'Grüße',
];

/** A folder with `iam` on the PATH and a profile for each harmful name. */
class Shells extends Sandbox {
  #command: ShellCommand | undefined;
  readonly pwned = this.file('pwned');
  readonly names = harmful(this.pwned);
  readonly variables = {
    PATH: `${this.file('bin')}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    HOME: this.folder,
    ZDOTDIR: this.folder,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm',
  };

  static async prepared(): Promise<Shells> {
    const shells = new Shells((await Sandbox.make()).folder);
    await mkdir(shells.file('bin'));
    await mkdir(shells.file('config/iam'), { recursive: true });
    shells.#command = await startShellCommand(shells.file('command'));
    await symlink(shells.#command.file, shells.file('bin/iam'));
    const names = [...shells.names, 'two\nlines', '-rf'];
    const profiles = Object.fromEntries(names.map((name) => [name, { baseUrl: `http://there` }]));
    await writeFile(shells.file('config/iam/config.json'), JSON.stringify({ profiles }));
    return shells;
  }

  run(program: string, words: readonly string[], stdin = ''): Promise<ProcessResult> {
    return this.start(program, words, this.variables, stdin).done;
  }

  async lines(name: string): Promise<string[]> {
    return (await readFile(this.file(name), 'utf8')).split('\n').slice(0, -1);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#command?.[Symbol.asyncDispose]();
  }

  /** No part of a name was executed. */
  async expectUntouched(): Promise<void> {
    await expect(access(this.pwned)).rejects.toThrow();
  }
}

describe('bash', () => {
  /** Calls the registered completion function as bash does and parses its results like a command line. */
  const script = (lines: readonly string[]) => `
    source <(iam completion bash)
    registered=$(complete -p iam); registered=\${registered#*-F }; registered=\${registered%% *}
    while IFS= read -r COMP_LINE; do
      COMP_POINT=\${#COMP_LINE} COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      $registered iam x y
      printf '> %s\\n' "$COMP_LINE"
      for text in "\${COMPREPLY[@]}"; do eval "words=($text)"; printf '%s\\n' "\${#words[@]} \${words[0]}"; done
    done <<'LINES'
${lines.join('\n')}
LINES
  `;

  test('receives candidates that parse to the exact names and execute nothing', async () => {
    await using shells = await Shells.prepared();
    const { out, err } = await shells.run('bash', [
      '--norc',
      '-c',
      script(['iam profile use ', 'iam groups --', 'iam x > ']),
    ]);
    expect(err.replaceAll(/.*compopt.*\n/g, '')).toBe('');
    const expected = shells.names.map((name) => `1 ${name}`);
    expect(out.split('\n')).toEqual([
      '> iam profile use ',
      ...expected,
      '> iam groups --',
      '1 --help',
      '> iam x > ',
      '',
    ]);
    await shells.expectUntouched();
  });

  test('completes an alias, and another name of the command', async () => {
    await using shells = await Shells.prepared();
    await symlink(shells.file('bin/iam'), shells.file('bin/other'));
    const complete = (name: string, line: string) => `
      COMP_LINE='${line}' COMP_POINT=\${#COMP_LINE}
      _iam ${name} x y; printf '%s\\n' "> $COMP_LINE" "\${COMPREPLY[@]}"`;
    const { out, err } = await shells.run('bash', [
      '--norc',
      '-c',
      `shopt -s expand_aliases
      alias i=iam
      alias ig='iam groups'
      f() { iam "$@"; }
      source <(iam completion bash --command-name i --command-name ig --command-name f)
      complete -p i ig f iam
      COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      ${complete('i', 'i compl')}
      ${complete('ig', 'ig upd')}
      ${complete('f', 'f compl')}
      ${complete('other', 'other compl')}
      for COMP_TYPE in 63 37; do ${complete('iam', 'iam groups r')}; done
      COMP_TYPE=9; ${complete('iam', 'iam compl')}`,
    ]);
    expect(err.replaceAll(/.*compopt.*\n/g, '')).toBe('');
    expect(out.split('\n').map((line) => line.trim())).toEqual([
      ...['i', 'ig', 'f', 'iam'].map((name) => `complete -F _iam ${name}`),
      ...['> i compl', 'completion', '> ig upd', 'update'],
      ...['> f compl', 'completion', '> other compl', 'completion'],
      ...[
        '> iam groups r',
        'remove             (Delete a group)',
        'remove-dependency  (Remove a dependency from a group)',
        'remove-role        (Remove a role from a group)',
      ],
      ...['> iam groups r', 'remove', 'remove-dependency', 'remove-role', '> iam compl', 'completion', ''],
    ]);
    const rejected = await shells.iam(['completion', 'bash', '--command-name', 'a;touch b']);
    expect(rejected).toMatchObject({ code: 2, out: '' });
  });

  test('completes server names with the credentials of the environment, then from the cache', async () => {
    await using shells = await Shells.prepared();
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: shells.names.map((groupName) => ({ groupName })) } : tokenResponse('token'),
    );
    const client = { IAM_BASE_URL: server.url, IAM_CLIENT_ID: 'bot', IAM_CLIENT_SECRET: 'secret' };
    const variables = { ...shells.variables, ...client, XDG_CONFIG_HOME: shells.file('none') };
    const lines = ['iam groups get ', 'iam groups delete '];
    const { out } = await shells.start('bash', ['--norc', '-c', script(lines)], variables).done;
    const names = shells.names.map((name) => `1 ${name}`);
    expect(out.split('\n').slice(0, -1)).toEqual(lines.flatMap((line) => [`> ${line}`, ...names]));
    expect(server.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
    await shells.expectUntouched();
  });

  test('completes the word at the cursor on a terminal with the quotes in use', async (ctx) => {
    ctx.skip(process.platform !== 'linux' || !has('script'), 'there is no script of util-linux to make a terminal');
    await using shells = await Shells.prepared();
    await writeFile(shells.file('file.yaml'), '');
    const typed: readonly [string, readonly string[]][] = [
      ['iam compl', ['completion']],
      ['iam profile use ops:', ['profile', 'use', 'ops:prod']],
      ['iam profile use "my', ['profile', 'use', 'my group']],
      ["iam profile use 'it", ['profile', 'use', "it's"]],
      ['iam profile use \\$\\(', ['profile', 'use', shells.names[0] ?? '']],
      ['iam profile use \\`', ['profile', 'use', shells.names[1] ?? '']],
      ['iam groups list --profile=\\*', ['groups', 'list', '--profile=*']],
      ['iam groups create --set groupN', ['groups', 'create', '--set', 'groupName=']],
      ['iam groups create -f fil', ['groups', 'create', '-f', 'file.yaml']],
    ];
    // The final command records its arguments; completion requests pass through.
    const setUp = [
      'source <(iam completion bash)',
      'iam() { if [ "$1" = __complete ]; then command iam "$@"; else { printf "%s|" "$@"; echo; } >> ran; fi; }',
    ];
    const keys = [...setUp, ...typed.map(([line]) => `${line}\t`), 'exit', ''].join('\n');
    await shells.run('script', ['-qec', 'bash --norc -i', '/dev/null'], keys);
    expect(await shells.lines('ran')).toEqual(typed.map(([, words]) => `${words.join('|')}|`));
    await shells.expectUntouched();
  });
});

describe('zsh', () => {
  test('offers all names on a terminal and inserts each as one word', async (ctx) => {
    ctx.skip(!has('zsh'), 'zsh is not installed');
    await using shells = await Shells.prepared();
    const count = shells.names.length;
    const driver = `
      zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      # A command is over when the prompt is there that it asks for: keys sent sooner are the terminal's, which drops them at ^U.
      type() { ((++typed)); zpty -w shell "$1; PS1=ready''$typed"; zpty -r shell seen "*ready$typed*" }
      type "unsetopt beep; autoload -Uz compinit; compinit -u -D; source <(iam completion zsh)"
      type 'note() { print -r -- "\${(j:|:)\${(@Q)\${(z)BUFFER}}}" >> ran }; zle -N note; bindkey "^G" note; bindkey "^I" complete-word'
      keys() { zpty -w -n shell "$1"$'\\t\\a\\x15' }
      keys 'iam compl'
      keys 'iam profile use ops:'
      keys 'iam profile use "my'
      keys "iam profile use 'it"
      keys 'iam groups list --profile=ops'
      keys 'iam groups create --set groupN'
      keys 'iam groups create -f fil'
      keys 'iam groups create --file=fil'
      type "setopt menu_complete"
      zpty -w -n shell 'iam profile use '
      for at in {1..${count}}; do zpty -w -n shell $'\\t\\a'; done
      zpty -w -n shell $'\\x15'
      type "true"
      zpty -d shell
    `;
    await writeFile(shells.file('file.yaml'), '');
    const { err } = await shells.run('zsh', ['-f', '-c', driver]);
    expect(err).toBe('');
    expect(await shells.lines('ran')).toEqual([
      'iam|completion',
      'iam|profile|use|ops:prod',
      'iam|profile|use|my group',
      "iam|profile|use|it's",
      'iam|groups|list|--profile=ops:prod',
      'iam|groups|create|--set|groupName=',
      'iam|groups|create|-f|file.yaml',
      'iam|groups|create|--file=file.yaml',
      ...shells.names.map((name) => `iam|profile|use|${name}`),
    ]);
    await shells.expectUntouched();
  });
});

describe('fish', () => {
  test('offers names with descriptions and inserts each as one word', async (ctx) => {
    ctx.skip(!has('fish'), 'fish is not installed');
    await using shells = await Shells.prepared();
    await writeFile(shells.file('file.yaml'), '');
    const commandLines = [
      'iam compl',
      'iam groups list --profile=ops',
      'iam groups create -f fil',
      'iam groups create --file=fil',
    ];
    const script = `
      iam completion fish | source
      complete -C 'iam profile use '
      for line in ${commandLines.map((line) => `'${line}'`).join(' ')}
        echo "> $line"
        complete -C $line
      end
      echo '> escaped'
      complete --escape -C 'iam profile use ' | while read -l -d \\t text _
        eval "set -l words $text"
        echo (count $words) $words[1]
      end
    `;
    const { out, err } = await shells.run('fish', ['--no-config', '-c', script]);
    expect(err).toBe('');
    const [plain = '', ...parts] = out.split(/^> .*\n/m).map((part) => part.trimEnd());
    const sorted = (lines: readonly string[]) => [...lines].sort();
    expect(sorted(plain.split('\n'))).toEqual(sorted(shells.names.map((name) => `${name}\thttp://there`)));
    expect(parts.slice(0, -1)).toEqual([
      'completion\tGenerate completion scripts for bash, zsh and fish',
      '--profile=ops:prod\thttp://there',
      'file.yaml',
      '--file=file.yaml',
    ]);
    const words = parts.at(-1)?.split('\n') ?? [];
    // fish escapes a tilde on insertion but not here.
    const others = shells.names.filter((name) => !name.startsWith('~'));
    expect(words).toHaveLength(shells.names.length);
    expect(words).toEqual(expect.arrayContaining(others.map((name) => `1 ${name}`)));
    await shells.expectUntouched();
  });
});
