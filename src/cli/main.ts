/** The process of the command line: streams, signals and the exit code. */
import { packageVersion } from '../contract/version.ts';
import { hiddenCompleteCommand } from './completion/hidden-command.ts';
import { processEnvironment, processIo } from './environment.ts';
import { getTextOutput } from './runtime/io.ts';

const interrupted = new AbortController();
const signals = ['SIGINT', 'SIGTERM'] as const;
const onSignal = (signal: NodeJS.Signals) => {
  // A second one ends the process at once, as it would without us.
  releaseSignals();
  interrupted.abort(signal);
};

function releaseSignals(): void {
  for (const signal of signals) process.off(signal, onSignal);
}

async function main(): Promise<void> {
  const typed = process.argv.slice(2);
  const io = processIo(interrupted.signal, releaseSignals);
  if (typed.length === 1 && (typed[0] === '--version' || typed[0] === '-V')) {
    getTextOutput(io).write(`${packageVersion}\n`);
    return;
  }
  for (const signal of signals) process.once(signal, onSignal);
  const { run } = await import('./run.ts');
  process.exitCode = await run(typed, io, processEnvironment());
  releaseSignals();
  // Who has pressed a key does not wait for what was given up, such as the address of a host that nobody knows.
  if (typed[0] === hiddenCompleteCommand) io.stdout.write('', () => process.exit());
}

void main();
