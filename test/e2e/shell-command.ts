/**
 * `iam` for shell scripts. Unless the tests name a built command, it is a script that sends its words to the process of the
 * test, which runs them from the sources: a process of the command takes 0.3 s.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { processEnvironment } from '../../src/cli/io/process.ts';
import { run } from '../../src/cli/run.ts';
import { bin } from './cli-process.ts';
import { isInProcess } from './runner.ts';

export interface ShellCommand extends AsyncDisposable {
  readonly file: string;
}

/** No word or variable contains it. */
const end = '\u0001\0';

/** Sends strings that end with NUL, and receives pairs of them: a stream and what it prints, at last the exit code. */
const script = (port: number) => `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
input=
case " $* " in *' - '* | *-stdin*) IFS= read -r -d '' input ;; esac
{
  printf '%s\\0' "$PWD" "$input" "$#" "$@"
  for name in "\${!IAM_@}" "\${!XDG_@}"; do printf '%s\\0' "$name=\${!name}"; done
  printf '\\1\\0'
} >&3
while IFS= read -r -d '' -u 3 kind && IFS= read -r -d '' -u 3 text; do
  case $kind in
    out) printf '%s' "$text" ;;
    err) printf '%s' "$text" >&2 ;;
    code) exit "$text" ;;
  esac
done
exit 70
`;

/** @param file where the script is written */
export async function startShellCommand(file: string): Promise<ShellCommand> {
  if (!isInProcess) return { file: bin, [Symbol.asyncDispose]: async () => undefined };
  const server = createServer((socket) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (received.endsWith(end)) void runWords(socket, received.slice(0, -end.length).split('\0'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await writeFile(file, script((server.address() as AddressInfo).port), { mode: 0o755 });
  return { file, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

async function runWords(socket: Socket, [folder = '', input = '', count, ...rest]: readonly string[]): Promise<void> {
  const words = rest.slice(0, Number(count));
  const pairs = rest.slice(words.length, -1).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  const output = (kind: string) =>
    new Writable({ write: (chunk, _encoding, done) => void socket.write(`${kind}\0${chunk}\0`, done) });
  const io = { stdin: Readable.from(input === '' ? [] : [input]), stdout: output('out'), stderr: output('err') };
  const signals = { signal: new AbortController().signal, releaseSignals: () => undefined };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const environment = { ...processEnvironment(), variables: Object.fromEntries(pairs) };
    socket.end(`code\0${await run(words, { ...io, ...signals }, environment)}\0`);
  } finally {
    process.chdir(before);
  }
}
