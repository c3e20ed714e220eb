/** The process of the command line: streams, signals and the exit code. */
import { packageVersion } from '../contract/version.ts';
import { hiddenCompleteCommand } from './commands/completion/hidden-command.ts';
import { getTextOutput } from './io/io.ts';
import { processEnvironment, processIo } from './io/process.ts';

const interrupted = new AbortController();
const signals = ['SIGINT', 'SIGTERM'] as const;
const onSignal = (signal: NodeJS.Signals) => {
  // A second signal ends the process at once, which is the default behavior.
  releaseSignals();
  interrupted.abort(signal);
};

function releaseSignals(): void {
  for (const signal of signals) process.off(signal, onSignal);
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const io = processIo(interrupted.signal, releaseSignals);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    getTextOutput(io).write(`${packageVersion}\n`);
    process.exitCode = 0;
    return;
  }
  for (const signal of signals) process.once(signal, onSignal);
  const { run } = await import('./run.ts');
  process.exitCode = await run(words, io, processEnvironment());
  releaseSignals();
  // Completion must not wait for abandoned work, such as a pending DNS lookup.
  if (words[0] === hiddenCompleteCommand) io.stdout.write('', () => process.exit());
}

void main();
