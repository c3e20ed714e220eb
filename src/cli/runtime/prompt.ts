/** The one gateway to questions. They are drawn on standard error, so that standard output stays data. */
import { unanswered } from './failures.ts';
import type { Environment, Io } from './io.ts';

export interface Asking {
  readonly io: Io;
  readonly environment: Environment;
  /** False with --no-input. */
  readonly input: boolean;
  /** Standard input is the data of the command. */
  readonly stdinIsData: boolean;
}

/** Whether there is somebody to answer. */
export function canAsk({ io, environment, input, stdinIsData }: Asking): boolean {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const ci = environment.variables.CI;
  return isTerminal && input && !stdinIsData && (ci === undefined || ci === '' || ci === 'false');
}

/** Asks yes or no; no where only Enter is pressed. Fails where nobody can answer. */
export async function confirm(asking: Asking, message: string): Promise<boolean> {
  if (!canAsk(asking))
    throw unanswered(
      `${message} Nobody can be asked here, and nothing was sent.`,
      'Add --yes to go on without being asked.',
    );
  return (await prompt(asking, { type: 'confirm', message, default: false })) === true;
}

/** Asks to type a name, so that nobody says yes to the wrong thing. Fails where nobody can answer. */
export async function confirmByName(asking: Asking, message: string, name: string): Promise<boolean> {
  if (!canAsk(asking))
    throw unanswered(
      `${message} Nobody can be asked here, and nothing was sent.`,
      `Add --confirm ${name} to go on without being asked; --yes is not enough for this.`,
    );
  const typed = await prompt(asking, { type: 'input', message: `${message} Type ${name} to go on:` });
  return String(typed).trim() === name;
}

/** Asks for a value that is not shown. Fails where nobody can answer. */
export async function askSecret(asking: Asking, message: string, otherwise: string): Promise<string> {
  if (!canAsk(asking)) throw unanswered(`${message} is needed, and nobody can be asked here.`, otherwise);
  return String(await prompt(asking, { type: 'password', message, mask: '*' }));
}

/** Asks for a value. Fails where nobody can answer. */
export async function askText(asking: Asking, message: string, otherwise: string): Promise<string> {
  if (!canAsk(asking)) throw unanswered(`${message} is needed, and nobody can be asked here.`, otherwise);
  return String(await prompt(asking, { type: 'input', message })).trim();
}

type Question =
  | { readonly type: 'input'; readonly message: string }
  | { readonly type: 'confirm'; readonly message: string; readonly default: boolean }
  | { readonly type: 'password'; readonly message: string; readonly mask: string };

async function prompt({ io }: Asking, question: Question): Promise<unknown> {
  const { inquirer } = await import('./inquirer.ts');
  const ask = inquirer.createPromptModule({
    input: io.stdin as NodeJS.ReadStream,
    output: io.stderr as NodeJS.WriteStream,
  });
  const { answer } = await ask([{ ...question, name: 'answer' }]);
  return answer as unknown;
}
